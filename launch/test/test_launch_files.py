# SPDX-License-Identifier: Apache-2.0
"""The launch files to include and the demonstrations on them, without starting processes."""

import pathlib
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import pytest
import yaml
from ament_index_python.packages import get_package_share_directory

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from inspection import Launched  # noqa: E402

from dynamics_bringup import simulation  # noqa: E402
from dynamics_bringup.arguments import ArgumentError  # noqa: E402
from dynamics_bringup.description import joints_of, root_of  # noqa: E402
from dynamics_bringup.processes import Files, share  # noqa: E402
from dynamics_bringup.robot_file import in_world, read, with_prefix  # noqa: E402
from dynamics_bringup.simulation import complete_parameters  # noqa: E402
from dynamics_bringup.view import rviz_configuration  # noqa: E402

DESCRIPTIONS = pathlib.Path(get_package_share_directory("dynamics_description"))
PUMA = DESCRIPTIONS / "urdf/puma.urdf"
GRIPPER = DESCRIPTIONS / "urdf/gripper.urdf"
MANAGER = "/**/controller_manager"


@pytest.fixture(autouse=True)
def temporary_folder(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def description_of(launched):
    return launched["robot_state_publisher"].parameters["robot_description"]


def test_simulation_of_a_urdf_has_all_joints():
    launched = Launched("simulation", urdf=str(PUMA), controllers="joint_state_broadcaster effort")
    names = joints_of(PUMA.read_text("utf-8"))
    node = launched["simulation_node"]
    assert node.parameters["wait_for_controllers"] == ("joint_state_broadcaster", "effort")
    assert node.files[0]["/**/joint_trajectory_controller"]["ros__parameters"]["joints"] == names
    assert node.files[0][MANAGER]["ros__parameters"]["update_rate"] == 500
    block = ElementTree.fromstring(description_of(launched)).find("ros2_control")
    assert [joint.get("name") for joint in block.findall("joint")] == names
    assert block.findtext("hardware/param[@name='unclaimed']") == "hold"
    assert [one.executable for one in launched.processes] == [
        "robot_state_publisher", "simulation_node", "spawner"]


def test_simulation_without_controllers():
    launched = Launched("simulation", urdf=str(PUMA), controllers="")
    assert "wait_for_controllers" not in launched["simulation_node"].parameters
    assert not launched.every("spawner")


def test_simulation_in_real_time_has_the_stock_node():
    launched = Launched("simulation", urdf=str(PUMA), use_sim_time="false")
    assert launched["ros2_control_node"].parameters["use_sim_time"] is False
    assert not launched.every("simulation_node")


def test_simulation_of_a_description_from_a_topic(tmp_path):
    file = tmp_path / "own.yaml"
    file.write_text(yaml.safe_dump({
        "controller_manager": {"ros__parameters": {
            "update_rate": 250, "mine": {"type": "some/Controller"}}},
        "mine": {"ros__parameters": {"joints": ["a"]}},
        "/left/other": {"ros__parameters": {"b": 1}}}), "utf-8")
    launched = Launched(
        "simulation", namespace="left", controllers="joint_state_broadcaster mine",
        controllers_file=str(file), description_topic="/robot")
    assert [one.executable for one in launched.processes] == ["simulation_node", "spawner"]
    node = launched["simulation_node"]
    assert node.namespace == "/left"
    assert node.remappings["robot_description"] == "/robot"
    # its own file, also in a namespace, with the type of the broadcaster that it does not list
    assert set(node.files[0]) == {MANAGER, "/**/mine", "/left/other"}
    manager = node.files[0][MANAGER]["ros__parameters"]
    assert manager["update_rate"] == 250
    assert manager["joint_state_broadcaster"]["type"].endswith("/JointStateBroadcaster")
    assert "enforce_command_limits" not in manager
    assert launched["spawner"].words[1:3] == ["joint_state_broadcaster", "mine"]


@pytest.mark.parametrize("arguments, message", [
    ({"controllers": "joint_trajectory_controller"}, "requires controllers_file"),
    ({"urdf": "/none.urdf"}, "file does not exist"),
    ({"urdf": str(PUMA), "xacro_arguments": "a:=1"}, "not a xacro file"),
    ({"urdf": str(PUMA), "rate": "1.5"}, "must be an integer"),
    ({"urdf": str(PUMA), "pose": "1 2"}, "'x y z' or 'x y z roll pitch yaw'"),
    ({"urdf": str(PUMA), "start": "1 2"}, "must be 6 numbers"),
    ({"controllers_file": "/none.yaml"}, "file does not exist"),
    ({"controllers_file": str(PUMA)}, "invalid YAML|must map"),
])
def test_invalid_arguments_of_simulation(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        Launched("simulation", **arguments)


def test_limits_are_off_in_the_block_and_in_the_manager():
    """Since Kilted the controller manager enforces the limits of commands by default."""
    launched = Launched("simulation", urdf=str(PUMA), limits="false")
    manager = launched["simulation_node"].files[0][MANAGER]["ros__parameters"]
    assert manager["enforce_command_limits"] is False
    block = ElementTree.fromstring(description_of(launched)).find("ros2_control")
    assert all(joint.find("limits").get("enable") == "false" for joint in block.findall("joint"))
    launched = Launched("simulation", urdf=str(PUMA))
    assert "enforce_command_limits" not in launched["simulation_node"].files[0][MANAGER][
        "ros__parameters"]
    assert "<limits" not in description_of(launched)
    # a file that says so keeps it
    own = {"controller_manager": {"ros__parameters": {"enforce_command_limits": True}}}
    assert complete_parameters(own, [], limits=False)[MANAGER]["ros__parameters"][
        "enforce_command_limits"] is True


def test_flexible_links_without_dynamic_joint_states(monkeypatch):
    """joint_state_broadcaster 6 (Lyrical) has no such topic: another controller publishes."""
    file = str(DESCRIPTIONS / "urdf/canadarm.urdf")
    before = Launched("simulation", urdf=file)
    assert before["spawner"].words[1:2] == ["joint_state_broadcaster"]
    assert "state_interfaces_broadcaster" not in before["spawner"].words
    assert before["robot_state_publisher"].remappings["/tf"] == "rigid/tf"
    monkeypatch.setattr(simulation, "major_version", lambda package: 6)
    after = Launched("simulation", urdf=file)
    assert "state_interfaces_broadcaster" in after["spawner"].words
    files = after["simulation_node"].files[0]
    names = files["/**/state_interfaces_broadcaster"]["ros__parameters"]["interfaces"]
    amplitudes = [name for name in names if name.startswith("link")]
    assert {name for name in amplitudes if name.endswith("_velocity")} == {
        f"{name}_velocity" for name in amplitudes if not name.endswith("_velocity")} != set()
    assert set(names) - set(amplitudes) == {
        f"joint{i}/{kind}" for i in (1, 2, 3) for kind in ("position", "velocity", "effort")}
    # a rigid robot needs no such controller
    assert "state_interfaces_broadcaster" not in Launched(
        "simulation", urdf=str(PUMA))["spawner"].words


def test_sensors_have_broadcasters():
    pytest.importorskip("xacro", reason="xacro is not installed")
    launched = Launched(
        "simulation", urdf=str(DESCRIPTIONS / "xacro/ur5e.urdf.xacro"), prefix="left_",
        xacro_arguments="force_torque_sensors:=tool0_joint",
        controllers="left_tool0_joint_broadcaster")
    files = launched["simulation_node"].files[0]
    assert files["/**/left_tool0_joint_broadcaster"]["ros__parameters"] == {
        "sensor_name": "left_tool0_joint", "frame_id": "left_tool0"}
    assert files[MANAGER]["ros__parameters"]["left_tool0_joint_broadcaster"]["type"].endswith(
        "/ForceTorqueSensorBroadcaster")
    shown = yaml.safe_load(rviz_configuration(
        share("config", "robot.rviz").read_text("utf-8"), "world", 1.0,
        wrenches=["left/left_tool0_joint_broadcaster/wrench"]))
    wrench = shown["Visualization Manager"]["Displays"][-1]
    assert wrench["Class"] == "rviz_default_plugins/Wrench"
    assert wrench["Topic"]["Value"] == "left/left_tool0_joint_broadcaster/wrench"


def test_prefix_renames_all_references():
    text = with_prefix(read(GRIPPER), "left_")
    robot, before = ElementTree.fromstring(text), ElementTree.parse(GRIPPER).getroot()
    for path, name in (("link", "name"), ("joint", "name"), ("joint/parent", "link"),
                       ("joint/child", "link"), ("joint/mimic", "joint")):
        assert [one.get(name) for one in robot.findall(path)] == [
            f"left_{one.get(name)}" for one in before.findall(path)]
    assert len(robot.findall("joint/mimic")) == 5
    own = PUMA.read_text("utf-8").replace("</robot>", """<ros2_control name="mine" type="system">
      <joint name="joint1"><param name="mimic">joint2</param><param name="offset">1</param></joint>
      <sensor name="wrist"><param name="frame">tool0</param></sensor>
      <transmission name="t"><joint name="joint1"/><actuator name="motor1"/></transmission>
      </ros2_control></robot>""")
    block = ElementTree.fromstring(with_prefix(own, "a_")).find("ros2_control")
    assert block.get("name") == "a_mine"
    assert [one.text for one in block.iter("param")] == ["a_joint2", "1", "a_tool0"]
    assert block.find("sensor").get("name") == "a_wrist"
    assert block.find("transmission/joint").get("name") == "a_joint1"
    assert block.find("transmission/actuator").get("name") == "a_motor1"
    assert with_prefix(own, "") == own
    mechanism = with_prefix(
        (DESCRIPTIONS / "urdf/mechanisms/four_bar_gripper.urdf").read_text("utf-8"), "b_")
    cut = ElementTree.fromstring(mechanism).find("constraint")
    assert cut.get("name").startswith("b_") and cut.find("parent").get("link").startswith("b_")


def test_pose_puts_the_robot_into_the_world():
    text = in_world(PUMA.read_text("utf-8"), "0.1 0 -2e-3")
    assert root_of(text) == "world"
    (joint,) = [one for one in ElementTree.fromstring(text).findall("joint")
                if one.find("parent").get("link") == "world"]
    assert joint.get("type") == "fixed" and joint.find("child").get("link") == "base_link"
    assert [float(word) for word in joint.find("origin").get("xyz").split()] == [0.1, 0.0, -0.002]
    assert in_world(text, " ") == text
    with pytest.raises(ArgumentError, match="already has a link 'world'"):
        in_world(text, "0 0 0")


def test_default_start_is_allowed():
    """Joint 4 of the Panda cannot be at 0."""
    panda = str(DESCRIPTIONS / "urdf/panda.urdf")
    for launched, wanted in (
            (Launched("robot", urdf=panda, gui="false"), "-0.0698"),
            (Launched("robot", urdf=panda, gui="false", start="0 0 0 -1 0 1 0"), "-1.0"),
            (Launched("simulation", urdf=panda), None)):  # the default of the hardware
        block = ElementTree.fromstring(description_of(launched)).find("ros2_control")
        assert block.findtext(
            "joint[@name='panda_joint4']/state_interface[@name='position']/param") == wanted


@pytest.mark.parametrize(("robots", "message"), [
    ("left", "must map namespaces"), ("{left: prefix}", "must map namespaces"),
    ("{left: {speed: 2}}", "'speed' is not one of"), ("{left: [", "invalid YAML")])
def test_invalid_robots(robots, message):
    with pytest.raises(ArgumentError, match=message):
        Launched("simulation", urdf=str(PUMA), robots=robots)


def test_dynamics_has_node_and_markers(tmp_path):
    launched = Launched("dynamics", namespace="left", gravity="0 0 -1", publish_frames="true")
    assert {one.namespace for one in launched.processes} == {"/left"}
    assert launched["dynamics_node"].parameters == {"gravity": (0.0, 0.0, -1.0),
                                                    "use_sim_time": True}
    markers = launched["markers_node"]
    assert markers.parameters["publish_frames"] is True and markers.parameters["scale"] == 1.6
    # in any namespace
    assert all(name.startswith("/**/") for name in markers.files[0])
    assert not Launched("dynamics", markers="false").every("markers_node")


def test_drag_starts_the_marker_and_shows_it():
    launched = Launched("puma", gui="false", drag="auto")
    assert launched["wrench_marker_node"].parameters == {
        "link": "", "wrench_topic": "puma/wrench", "use_sim_time": True}
    assert Launched("dynamics", drag="tool0", wrench_topic="arm/wrench")[
        "wrench_marker_node"].parameters["link"] == "tool0"
    with pytest.raises(ArgumentError, match="requires wrench_topic"):
        Launched("dynamics", drag="tool0")
    text = share("config", "robot.rviz").read_text("utf-8")

    def names(**arguments):
        shown = yaml.safe_load(rviz_configuration(text, "world", 1.0, **arguments))
        return [one["Name"] for one in shown["Visualization Manager"]["Displays"]]

    assert "wrench_marker" not in names()
    assert {"wrench_marker", "wrench_marker/wrench"} <= set(names(drag=True))
    assert {"left/wrench_marker", "right/wrench_marker"} <= set(
        names(drag=True, namespaces=["left", "right"]))


def test_view_shows_every_namespace():
    text = share("config", "robot.rviz").read_text("utf-8")
    shown = yaml.safe_load(rviz_configuration(
        text, "world", 1.0, {"distance": 3}, namespaces=["left", "/right/"]))
    displays = shown["Visualization Manager"]["Displays"]
    topics = [value["Value"] for one in displays for key, value in one.items()
              if key.endswith("Topic")]
    assert topics == ["left/robot_description", "/right/robot_description",
                      "left/dynamics_markers/markers", "/right/dynamics_markers/markers"]
    names = [one["Name"] for one in displays]
    assert len(set(names)) == len(names) and "Robot (left)" in names and "Grid" in names


def test_view_without_a_display(monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    launched = Launched("view", urdf=str(PUMA))
    assert not launched.processes and len(launched.messages) == 1
    with pytest.raises(ArgumentError, match="gui:='true'"):
        Launched("view", gui="true", urdf=str(PUMA))


def test_demonstration_passes_its_arguments_on():
    launched = Launched("puma", gui="false", gravity="0 0 -3", step="0.002", rate="250")
    assert [one.executable for one in launched.processes] == [
        "robot_state_publisher", "simulation_node", "spawner", "dynamics_node", "markers_node"]
    node = launched["simulation_node"]
    assert node.files[0][MANAGER]["ros__parameters"]["update_rate"] == 250
    assert node.parameters["speed"] == 1.0 and node.parameters["start_paused"] is False
    block = ElementTree.fromstring(description_of(launched)).find("ros2_control")
    parameters = {one.get("name"): one.text for one in block.findall("hardware/param")}
    assert parameters == {"gravity": "0.0 0.0 -3.0", "step": "0.002", "unclaimed": "free",
                          "limits": "false"}
    assert launched["dynamics_node"].parameters["gravity"] == (0.0, 0.0, -3.0)
    assert launched["markers_node"].parameters["energy_place"] == [0.0, 0.0, 0.5]
    # with something to prepare the time waits for the scenario node
    launched = Launched("puma", gui="false", payload="2", scenario="hold")
    assert launched["simulation_node"].parameters["start_paused"] is True
    assert launched["scenario"].parameters["payload_mass"] == 2.0
    assert launched["scenario"].parameters["resume"] is True


def test_arguments_of_an_outer_launch_are_not_inherited():
    """A demonstration in a launch file that has an argument `prefix` of its own."""
    launched = Launched("puma", gui="false", prefix="left_", pose="1 0 0", namespace="left")
    assert {one.namespace for one in launched.processes} == {""}
    assert joints_of(description_of(launched)) == joints_of(PUMA.read_text("utf-8"))
    assert root_of(description_of(launched)) == "base_link"


def test_two_arms_are_separate():
    pytest.importorskip("xacro", reason="xacro is not installed")
    launched = Launched("two_arms", gui="false", sensors="false")
    assert len(launched.processes) == 9
    node = launched["simulation_node"]  # of both
    assert node.namespace == "" and node.words[1:4] == ["--namespaces", "left", "right"]
    sections = {name: section["ros__parameters"] for file in node.files
                for name, section in file.items()}
    frames = []
    for name in ("left", "right"):
        mine = [one for one in launched.processes if one.namespace == f"/{name}"]
        assert sorted(one.executable for one in mine) == [
            "dynamics_node", "markers_node", "robot_state_publisher", "spawner"]
        (state,) = [one for one in mine if one.executable == "robot_state_publisher"]
        robot = ElementTree.fromstring(state.parameters["robot_description"])
        frames.append({one.get("name") for one in robot.findall("link")})
        assert all(joint.startswith(f"{name}_") for joint in joints_of(
            state.parameters["robot_description"]))
        assert sections[f"/**/{name}/joint_trajectory_controller"]["joints"] == joints_of(
            state.parameters["robot_description"])
        assert sections[f"/**/{name}/controller_manager"]["wait_for_controllers"] == [
            "joint_state_broadcaster", "joint_trajectory_controller"]
    assert frames[0] & frames[1] == {"world"}
    nodes = Launched("two_arms", gui="false", sensors="false", use_sim_time="false").every(
        "ros2_control_node")
    assert [one.namespace for one in nodes] == ["/left", "/right"]
    spawners = Launched("two_arms", gui="false", sensors="true").every("spawner")
    assert [one.words[3] for one in spawners] == [
        "left_tool0_joint_broadcaster", "right_tool0_joint_broadcaster"]


def test_temporary_files_are_removed():
    files = Files()
    names = [files.write("text", "test_", ".txt") for _ in range(2)]
    assert all(pathlib.Path(name).read_text("utf-8") == "text" for name in names)
    files.remove()
    assert not any(pathlib.Path(name).exists() for name in names)


@pytest.mark.parametrize("name", ["canadarm", "planar3", "puma", "stanford"])
def test_demonstrations_hold(name):
    launched = Launched(name, gui="false", scenario="hold")
    assert launched["spawner"].words[1:3] == [
        "joint_state_broadcaster", "joint_trajectory_controller"]
