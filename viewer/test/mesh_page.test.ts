// SPDX-License-Identifier: Apache-2.0
// Meshes in the page: Collada files, notices, and pages written by the program.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launch, no_browser, open_file, open_run, screenshot } from "./browser";
import { make_run, planar3 } from "./fixtures";
import { box_dae, box_obj, box_stl, embedded } from "./mesh_files";

let browser: Browser;
if (!no_browser) {
  before(async () => { browser = await launch(); });
  after(async () => { await browser.close(); });
}

const bounds = (page: Page, link: string): Promise<number[] | null> => page.evaluate((name) => window.dynamicsViewer.linkBounds(name), link);

function assert_near(is: number[] | null, should: number[]): void {
  assert.ok(is !== null);
  should.forEach((x, k) => assert.ok(Math.abs(is[k]! - x) < 1e-5, `${is.join()} instead of ${should.join()}`));
}

function run_with(filenames: string[]) {
  const run = make_run(planar3(), { count: 3 });
  filenames.forEach((filename, i) => { run.model.links[i].visuals = [{ geometry: { type: "mesh", filename } }]; });
  return run;
}

test("Collada: units and the nodes of the scene apply, the up axis does not", { skip: no_browser }, async () => {
  const files = {
    "z.dae": embedded("dae", box_dae([1, 2, 3])),
    "y.dae": embedded("dae", box_dae([1, 2, 3], { up: "Y_UP" })),
    "mm.dae": embedded("dae", box_dae([100, 200, 300], { meter: 0.001, move: [1000, 0, 0] })),
    "texture.dae": embedded("dae", box_dae([1, 1, 1], { texture: true })),
  };
  const { page, shown, complaints, close } = await open_run(browser, run_with(Object.keys(files)), null, { meshes: { files, problems: [] } });
  assert.equal(shown, true);
  const names = planar3().links.map(({ name }) => name);
  assert_near(await bounds(page, names[0]!), [0, 0, 0, 1, 2, 3]);
  assert_near(await bounds(page, names[1]!), [0, 0, 0, 1, 2, 3]);
  assert_near(await bounds(page, names[2]!), [1, 0, 0, 1.1, 0.2, 0.3]);
  assert_near(await bounds(page, names[3]!), [0, 0, 0, 1, 1, 1]);
  assert.equal(await page.locator(".notice", { hasText: "esh" }).count(), 0);
  assert.deepEqual(complaints, [], "no request for the texture");
  await close();
});

test("a broken mesh is drawn as a bone, with a notice", { skip: no_browser }, async () => {
  const files = { "good.stl": embedded("stl", box_stl([1, 1, 1])), "bad.dae": embedded("dae", "<COLLADA></COLLADA>") };
  const meshes = { files, problems: ["link 'link3': mesh 'none.stl': cannot be read: No such file or directory"] };
  const { page, shown, close } = await open_run(browser, run_with(["good.stl", "bad.dae", "none.stl"]), null, { meshes });
  assert.equal(shown, true);
  const notices = (await page.locator(".notices").textContent())!;
  assert.match(notices, /Some meshes are not part of the page: \w+, \w+ are drawn as bones/);
  assert.match(notices, /none\.stl': cannot be read/);
  assert.match(notices, /bad\.dae': cannot be displayed/);
  await close();
});

const program = process.env.DYNAMICS_PROGRAM || process.env.DYNAMICS_PROGRAM_INSTALLED || "";
const skip = no_browser || (program === "" || !existsSync(program) ? "the program is not there (DYNAMICS_PROGRAM names it)" : false);

/** Approximate number of pixels of the view with this color, in which one channel is the largest by far. */
async function pixels(page: Page, channel: 0 | 1 | 2): Promise<number> {
  const picture = (await page.locator(".view canvas").screenshot()).toString("base64");
  return page.evaluate(async ([data, k]) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    const context = canvas.getContext("2d")!;
    context.drawImage(image, 0, 0);
    const bytes = context.getImageData(0, 0, image.width, image.height).data;
    let count = 0;
    for (let i = 0; i < bytes.length; i += 4) {
      const others = [0, 1, 2].filter((x) => x !== k).map((x) => bytes[i + x]!);
      if (bytes[i + (k as number)]! > 60 + Math.max(...others)) ++count;
    }
    return count;
  }, [picture, channel] as const);
}

test("a page of the program shows the meshes of a URDF in their colors", { skip }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "dynamics_viewer_"));
  mkdirSync(join(folder, "arm", "meshes"), { recursive: true });
  const write = (name: string, bytes: string | Buffer): void => writeFileSync(join(folder, "arm", "meshes", name), bytes);
  write("base.stl", box_stl([0.4, 0.4, 0.2]));
  write("upper.obj", box_obj([0.2, 0.2, 1]));
  write("colors.mtl", "newmtl green\nKd 0 1 0\nmap_Kd ../../secret.png\n");
  write("lower.dae", box_dae([200, 200, 800], { meter: 0.001 }));
  const link = (name: string, file: string): string => `<link name="${name}"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <visual><geometry><mesh filename="package://arm/meshes/${file}"/></geometry><material name="red"><color rgba="1 0 0 1"/></material></visual></link>`;
  const joint = (parent: string, child: string): string => `<joint name="to_${child}" type="revolute"><parent link="${parent}"/><child link="${child}"/>
    <origin xyz="0 0 1"/><axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="9" velocity="9"/></joint>`;
  writeFileSync(join(folder, "arm.urdf"), `<robot name="arm">${link("base", "base.stl")}${link("upper", "upper.obj")}${link("lower", "lower.dae")}
    ${link("tool", "missing.stl")}${joint("base", "upper")}${joint("upper", "lower")}${joint("lower", "tool")}</robot>`);
  const path = join(folder, "run.html");
  const output = execFileSync(program, ["simulate", join(folder, "arm.urdf"), "--duration", "0.5", "--output", path, "--json",
    "--meshes", "--package", `arm=${join(folder, "arm")}`], { stdio: "pipe", encoding: "utf8" });
  assert.deepEqual((JSON.parse(output) as { warnings: string[] }).warnings.length, 1);
  assert.ok(statSync(path).size < 5e6);
  assert.ok(!readFileSync(path, "utf8").includes("secret.png"));
  const { page, shown, complaints, close } = await open_file(browser, path);
  assert.equal(shown, true);
  assert_near(await bounds(page, "base"), [0, 0, 0, 0.4, 0.4, 0.2]);
  assert_near(await bounds(page, "upper"), [0, 0, 0, 0.2, 0.2, 1]);
  assert_near(await bounds(page, "lower"), [0, 0, 0, 0.2, 0.2, 0.8]);
  for (const channel of [0, 1, 2] as const) assert.ok((await pixels(page, channel)) > 500, `color ${channel}`);
  assert.match((await page.locator(".notices").textContent())!, /tool is drawn as bones.*missing\.stl': cannot be read/);
  assert.deepEqual(complaints, []);
  await screenshot(page, "meshes");
  await close();
  rmSync(folder, { recursive: true });
});
