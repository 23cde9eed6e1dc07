// SPDX-License-Identifier: Apache-2.0
// MCAP files of the program, read by public readers: every message is decoded and compared with the CSV of the same run.
// DYNAMICS_PROGRAM: path of the program.

import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { parse } from "@foxglove/rosmsg";
import { MessageReader, MessageWriter } from "@foxglove/rosmsg2-serialization";
import { McapIndexedReader, McapStreamReader, McapWriter } from "@mcap/core";
import { decompress } from "fzstd";

const program = process.env.DYNAMICS_PROGRAM || process.env.DYNAMICS_PROGRAM_INSTALLED || "";
const skip = program === "" || !existsSync(program) ? "the program is not there (DYNAMICS_PROGRAM names it)" : false;

let directory = "";
if (!skip) {
  before(() => (directory = mkdtempSync(join(tmpdir(), "dynamics_mcap_"))));
  after(() => rmSync(directory, { recursive: true }));
}

const decompressHandlers = { zstd: (data: Uint8Array, size: bigint): Uint8Array => decompress(data, new Uint8Array(Number(size))) };

function open(path: string): Promise<McapIndexedReader> {
  const data = readFileSync(path);
  const readable = {
    size: (): Promise<bigint> => Promise.resolve(BigInt(data.length)),
    read: (offset: bigint, size: bigint): Promise<Uint8Array> => Promise.resolve(new Uint8Array(data.subarray(Number(offset), Number(offset + size)))),
  };
  return McapIndexedReader.Initialize({ readable, decompressHandlers });
}

interface Decoded {
  topic: string;
  column: string | undefined;
  time: bigint;
  sequence: number;
  value: any;
}

async function decode(reader: McapIndexedReader): Promise<Decoded[]> {
  const readers = new Map<number, MessageReader>();
  const all: Decoded[] = [];
  for await (const message of reader.readMessages()) {
    const channel = reader.channelsById.get(message.channelId)!;
    const schema = reader.schemasById.get(channel.schemaId)!;
    assert.equal(schema.encoding, "ros2msg");
    assert.equal(channel.messageEncoding, "cdr");
    if (!readers.has(schema.id)) readers.set(schema.id, new MessageReader(parse(new TextDecoder().decode(schema.data), { ros2: true })));
    const value = readers.get(schema.id)!.readMessage(message.data);
    all.push({ topic: channel.topic, column: channel.metadata.get("column"), time: message.logTime, sequence: message.sequence, value });
  }
  return all;
}

interface Table {
  names: string[];
  rows: number[][];
}

function read_csv(path: string): Table {
  const [head, ...lines] = readFileSync(path, "utf8").trim().split(/\r?\n/);
  return { names: head!.split(","), rows: lines.map((line) => line.split(",").map(Number)) };
}

const nanoseconds = (t: number): bigint => BigInt(Math.round(t * 1e9));
const stamp_of = (stamp: { sec: number; nsec: number }): bigint => BigInt(stamp.sec) * 1000000000n + BigInt(stamp.nsec);

type Pose = { x: number[]; q: number[] };
function multiply([ax, ay, az, aw]: number[], [bx, by, bz, bw]: number[]): number[] {
  return [aw! * bx! + ax! * bw! + ay! * bz! - az! * by!, aw! * by! - ax! * bz! + ay! * bw! + az! * bx!, aw! * bz! + ax! * by! - ay! * bx! + az! * bw!, aw! * bw! - ax! * bx! - ay! * by! - az! * bz!];
}
function rotate(q: number[], v: number[]): number[] {
  return multiply(multiply(q, [...v, 0]), [-q[0]!, -q[1]!, -q[2]!, q[3]!]).slice(0, 3);
}
function compose(a: Pose, b: Pose): Pose {
  return { x: rotate(a.q, b.x).map((value, i) => value + a.x[i]!), q: multiply(a.q, b.q) };
}

/** Poses of all frames in the root of the transforms. */
function frames_of(transforms: any[]): Map<string, Pose> {
  const parents = new Map<string, { parent: string; pose: Pose }>();
  for (const { header, child_frame_id, transform } of transforms) {
    const { translation: t, rotation: r } = transform;
    assert.ok(!parents.has(child_frame_id), `${child_frame_id} has one parent`);
    parents.set(child_frame_id, { parent: header.frame_id, pose: { x: [t.x, t.y, t.z], q: [r.x, r.y, r.z, r.w] } });
  }
  const pose_of = (frame: string): Pose => {
    const edge = parents.get(frame);
    return edge ? compose(pose_of(edge.parent), edge.pose) : { x: [0, 0, 0], q: [0, 0, 0, 1] };
  };
  return new Map([...parents.keys()].map((frame) => [frame, pose_of(frame)]));
}

const whip = `<robot name="whip">
  <link name="base"/><link name="boom">
    <inertial><origin xyz="1 0 0"/><mass value="4"/><inertia ixx="0" iyy="1.333333333" izz="1.333333333" ixy="0" ixz="0" iyz="0"/></inertial>
    <flexible length="2" mass_per_length="2" rigidity_y="60" rigidity_z="40" modes_y="2" modes_z="2" stiffening="true"/></link>
  <link name="hand"><inertial><origin xyz="0.2 0 0"/><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tip"/><link name="camera"/>
  <joint name="wrist" type="continuous"><parent link="boom"/><child link="hand"/><origin xyz="2.1 0.1 -0.1" rpy="0.3 0.2 0.1"/><axis xyz="0 1 0"/></joint>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="boom"/><origin rpy="0.4 0 0"/><axis xyz="0 0 1"/></joint>
  <joint name="to_tip" type="fixed"><parent link="hand"/><child link="tip"/><origin xyz="0.4 0 0" rpy="0 1 0"/></joint>
  <joint name="to_camera" type="fixed"><parent link="boom"/><child link="camera"/><origin xyz="2 0 0.1"/></joint>
</robot>`;

const runs = [
  { name: "puma", robot: "puma", options: ["--duration", "2"] },
  { name: "controlled", robot: "puma", options: ["--scenario", "computed-torque", "--limits", "--duration", "3", "--bandwidth", "20"] },
  { name: "canadarm", robot: "canadarm", options: ["--scenario", "forced", "--duration", "2"] },
  { name: "whip", robot: "whip.urdf", options: ["--duration", "1"] },
];

for (const { name, robot, options } of runs) {
  test(`${name}: every message equals the CSV`, { skip }, async () => {
    const robot_path = robot.endsWith(".urdf") ? join(directory, robot) : robot;
    if (robot.endsWith(".urdf")) writeFileSync(robot_path, whip);
    const [mcap, csv, json] = ["mcap", "csv", "json"].map((kind) => join(directory, `${name}.${kind}`)) as [string, string, string];
    execFileSync(program, ["simulate", robot_path, ...options, "--output", mcap, "--output", csv, "--output", json], { stdio: "pipe" });
    const { names, rows } = read_csv(csv);
    const reader = await open(mcap);
    assert.equal(reader.header.profile, "ros2");
    const messages = await decode(reader);
    assert.equal(BigInt(messages.length), reader.statistics!.messageCount);
    const by_topic = new Map<string, Decoded[]>();
    for (const message of messages) by_topic.set(message.topic, [...(by_topic.get(message.topic) ?? []), message]);
    const topic = (wanted: string): Decoded[] => by_topic.get(wanted) ?? assert.fail(`no topic ${wanted}`);
    const compared = new Set(["t"]);
    const cell = (row: number, column: string): number => {
      assert.ok(names.includes(column), `the CSV has a column ${column}`);
      compared.add(column);
      return rows[row]![names.indexOf(column)]!;
    };

    for (const latched of ["/robot_description", "/tf_static"]) {
      if (latched === "/tf_static" && robot === "canadarm" && !by_topic.has(latched)) continue; // its tool is on a bending link
      assert.equal(topic(latched).length, 1);
      const channel = [...reader.channelsById.values()].find((each) => each.topic === latched)!;
      assert.match(channel.metadata.get("offered_qos_profiles")!, /durability: 1\n/);
    }
    const joint_states = topic("/joint_states");
    assert.equal(joint_states.length, rows.length);
    joint_states.forEach(({ value, time, sequence }, row) => {
      assert.equal(time, nanoseconds(rows[row]![0]!));
      assert.equal(stamp_of(value.header.stamp), time);
      assert.equal(sequence, row);
      value.name.forEach((joint: string, i: number) => {
        assert.equal(value.position[i], cell(row, `q_${joint}`));
        assert.equal(value.velocity[i], cell(row, `qd_${joint}`));
        assert.equal(value.effort[i], cell(row, `tau_${joint}`));
      });
    });
    topic("/clock").forEach(({ value, time }, row) => {
      assert.equal(time, nanoseconds(rows[row]![0]!));
      assert.equal(stamp_of(value.clock), time);
    });
    topic("/end_effector").forEach(({ value: { pose } }, row) => {
      for (const axis of ["x", "y", "z"]) assert.equal(pose.position[axis], cell(row, `end_effector_${axis}`));
      for (const part of ["x", "y", "z", "w"]) assert.equal(pose.orientation[part], cell(row, `end_effector_q${part}`));
    });
    for (const { value, time } of by_topic.get("/reference/joint_states") ?? []) {
      const row = rows.findIndex((each) => nanoseconds(each[0]!) === time);
      value.name.forEach((joint: string, i: number) => {
        assert.equal(value.position[i], cell(row, `desired_${joint}`));
        assert.equal(value.velocity[i], cell(row, `desired_rate_${joint}`));
      });
    }
    for (const [wanted, list] of by_topic) {
      if (!wanted.startsWith("/run/") || list[0]!.column === "energy_drift") continue; // not in the CSV
      assert.equal(list.length, rows.length);
      list.forEach(({ value, column }, row) => assert.equal(value.data, cell(row, column!)));
    }
    assert.deepEqual(names.filter((each) => !compared.has(each)), [], "columns of the CSV that no topic has");

    const run = JSON.parse(readFileSync(json, "utf8"));
    assert.deepEqual((by_topic.get("/events") ?? []).map(({ value }) => value.msg), run.events.map((event: { what: string }) => event.what));
    const attachments = new Map<string, string>();
    for await (const { name: file, data } of reader.readAttachments()) attachments.set(file, new TextDecoder().decode(data));
    const attached = JSON.parse(attachments.get("run.json")!);
    assert.deepEqual(attached, run);
    assert.equal(attachments.get("robot.urdf"), topic("/robot_description")[0]!.value.data);
    for await (const { metadata } of reader.readMetadata({ name: "dynamics_run" })) assert.equal(metadata.get("command"), run.settings.command);

    // composed transforms
    const fixed = by_topic.get("/tf_static")?.[0]?.value.transforms ?? [];
    assert.equal(topic("/tf").length, rows.length);
    for (const row of [0, Math.floor(rows.length / 3), rows.length - 1]) {
      const state = names.filter((each) => each.startsWith("q_") || each.startsWith("e_")).map((column) => cell(row, column));
      const answer = JSON.parse(execFileSync(program, ["kinematics", robot_path, "--json", "--q", state.join(",")], { encoding: "utf8" }));
      const frames = frames_of([...fixed, ...topic("/tf")[row]!.value.transforms]);
      assert.equal(frames.size, answer.frames.length - 1, "all frames but the root");
      for (const { name: frame, xyz, quaternion } of answer.frames.slice(1)) {
        const pose = frames.get(frame)!;
        const sign = Math.sign(pose.q.reduce((sum, value, i) => sum + value * quaternion[i], 0));
        [...pose.x.map((value, i) => value - xyz[i]), ...pose.q.map((value, i) => sign * value - quaternion[i])].forEach((difference) =>
          assert.ok(Math.abs(difference) <= 1e-9, `${frame} in row ${row} differs by ${difference}`));
      }
    }

    // players seek by the index
    const from = nanoseconds(rows[Math.floor(rows.length / 2)]![0]!);
    let found = 0;
    for await (const message of reader.readMessages({ startTime: from, topics: ["/joint_states"] })) {
      assert.ok(message.logTime >= from);
      ++found;
    }
    assert.equal(found, rows.length - Math.floor(rows.length / 2));
  });
}

test("a log of a public writer is read, with shuffled joint names", { skip }, async () => {
  const csv = join(directory, "written.csv");
  const source = join(directory, "written_source.mcap");
  execFileSync(program, ["simulate", "puma", "--scenario", "computed-torque", "--duration", "1", "--output", csv, "--output", source], { stdio: "pipe" });
  const { names, rows } = read_csv(csv);
  const joints = names.filter((name) => name.startsWith("q_")).map((name) => name.slice(2));
  const pieces: Uint8Array[] = [];
  let size = 0;
  const writable = {
    position: (): bigint => BigInt(size),
    write: (data: Uint8Array): Promise<void> => {
      pieces.push(new Uint8Array(data));
      size += data.length;
      return Promise.resolve();
    },
  };
  const schemas = [...(await open(source)).schemasById.values()];
  const definition = schemas.find(({ name }) => name === "sensor_msgs/msg/JointState")!;
  const serializer = new MessageWriter(parse(new TextDecoder().decode(definition.data), { ros2: true }));
  const writer = new McapWriter({ writable, chunkSize: 5000 });
  await writer.start({ profile: "ros2", library: "test" });
  const other = await writer.registerSchema({ name: "pkg/msg/Unknown", encoding: "ros2msg", data: new TextEncoder().encode("int8 x") });
  const unknown = await writer.registerChannel({ schemaId: other, topic: "/camera", messageEncoding: "cdr", metadata: new Map() });
  const schemaId = await writer.registerSchema(definition);
  const channelId = await writer.registerChannel({ schemaId, topic: "/joint_states", messageEncoding: "cdr", metadata: new Map() });
  for (const [sequence, row] of rows.entries()) {
    const order = joints.map((_, i) => joints[(i * 5 + sequence) % joints.length]!); // 5 and 6 have no common factor
    const values = (prefix: string): number[] => order.map((joint) => row[names.indexOf(prefix + joint)]!);
    const time = 1700000000000000000n + nanoseconds(row[0]!);
    const stamp = { sec: Number(time / 1000000000n), nsec: Number(time % 1000000000n) };
    const data = serializer.writeMessage({ header: { stamp, frame_id: "base" }, name: order, position: values("q_"), velocity: values("qd_"), effort: values("tau_") });
    await writer.addMessage({ channelId, sequence, logTime: time, publishTime: time, data });
    await writer.addMessage({ channelId: unknown, sequence, logTime: time, publishTime: time, data: new Uint8Array([sequence % 256]) });
  }
  await writer.end();
  const log = join(directory, "written.mcap");
  writeFileSync(log, Buffer.concat(pieces));
  const torques = (file: string): number[][] => JSON.parse(execFileSync(program, ["inverse", "puma", "--trajectory", file, "--duration", "1", "--json"], { encoding: "utf8" })).tau;
  const [ours, theirs] = [torques(source), torques(log)];
  assert.equal(ours.length, rows.length);
  ours.forEach((row, k) => row.forEach((value, i) => assert.ok(Math.abs(value - theirs[k]![i]!) <= 1e-6 * (1 + Math.abs(value)), `row ${k}`)));
});

test("events are in the log", { skip }, async () => {
  const path = join(directory, "stops.mcap");
  execFileSync(program, ["simulate", "puma", "--limits", "--duration", "2", "--output", path], { stdio: "pipe" });
  const messages = await decode(await open(path));
  const events = messages.filter(({ topic }) => topic === "/events");
  assert.ok(events.length > 0);
  for (const { value, time } of events) {
    assert.equal(stamp_of(value.stamp), time);
    assert.ok(value.msg.length > 0);
  }
});

test("a folder has the metadata of rosbag2", { skip }, () => {
  execFileSync(program, ["simulate", "planar3", "--duration", "0.1", "--output", "bag/"], { stdio: "pipe", cwd: directory });
  assert.deepEqual(readdirSync(join(directory, "bag")).sort(), ["bag_0.mcap", "metadata.yaml"]);
  const metadata = readFileSync(join(directory, "bag", "metadata.yaml"), "utf8");
  for (const line of ["storage_identifier: mcap", '- "bag_0.mcap"', 'name: "/joint_states"', 'type: "sensor_msgs/msg/JointState"']) assert.ok(metadata.includes(line), line);
});

test("a killed writer leaves a file that is recovered", { skip }, async () => {
  const killed = spawn(program, ["simulate", "planar3", "--duration", "40", "--sample", "0.0002", "--rtol", "1e-6", "--output", "killed.mcap"], { cwd: directory, stdio: "ignore" });
  const part = join(directory, `killed.mcap.part${killed.pid}`);
  const ended = new Promise((resolve) => killed.on("exit", resolve));
  const deadline = Date.now() + 300000;
  while (!(existsSync(part) && statSync(part).size > 4000000)) {
    assert.ok(killed.exitCode === null, "the writer is still running");
    assert.ok(Date.now() < deadline, "the file grows");
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  killed.kill("SIGKILL");
  await ended;
  assert.ok(!existsSync(join(directory, "killed.mcap")));
  // a public reader
  const stream = new McapStreamReader({ decompressHandlers, validateCrcs: true });
  stream.append(readFileSync(part));
  let [states, joint_channel, last] = [0, -1, 0n];
  for (let record; (record = stream.nextRecord()); ) {
    if (record.type === "Channel" && record.topic === "/joint_states") joint_channel = record.id;
    if (record.type !== "Message" || record.channelId !== joint_channel) continue;
    ++states;
    last = record.logTime;
  }
  assert.ok(!stream.done(), "the file has no end");
  assert.ok(states > 1000, `${states} joint states`);
  // ours
  const { status, stdout, stderr } = spawnSync(program, ["inverse", "planar3", "--trajectory", part, "--sample", "0.5", "--json"], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  assert.match(stderr, /offset \d+/);
  const { t, warnings } = JSON.parse(stdout);
  assert.equal(nanoseconds(t[t.length - 1]), last);
  assert.match(warnings[0], /messages before are used/);
});
