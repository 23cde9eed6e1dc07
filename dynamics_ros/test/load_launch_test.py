# SPDX-License-Identifier: Apache-2.0
"""The load benchmark: no reply is lost or wrong, and the node's memory does not grow."""
import json
import pathlib
import unittest

import launch
import launch.actions
import launch_testing.actions
import launch_testing.asserts
import launch_testing.util
from ament_index_python.packages import get_package_prefix

BENCHMARK = pathlib.Path(get_package_prefix("dynamics_ros")) / "lib/dynamics_ros/load_benchmark"


def generate_test_description():
    benchmark = launch.actions.ExecuteProcess(
        cmd=[str(BENCHMARK), "--clients", "8", "--seconds", "40", "--latency-seconds", "1",
             "--json"])  # memory is judged from 30 s on
    return launch.LaunchDescription(
        [benchmark, launch_testing.util.KeepAliveProc(), launch_testing.actions.ReadyToTest()]), {
            "benchmark": benchmark}


class TestLoad(unittest.TestCase):

    def test_it_ends(self, proc_info, benchmark):
        proc_info.assertWaitForShutdown(process=benchmark, timeout=150.0)


@launch_testing.post_shutdown_test()
class TestResult(unittest.TestCase):

    def test_no_reply_is_lost_or_wrong_and_memory_stays(self, proc_info, proc_output, benchmark):
        text = "".join(line.text.decode() for line in proc_output[benchmark])
        report = json.loads(next(line for line in text.splitlines() if line.startswith("{")))
        self.assertEqual(report["first_problem"], "")
        self.assertEqual((report["lost"], report["wrong"]), (0, 0))
        self.assertEqual(report["total"], sum(report["calls"].values()))
        self.assertGreaterEqual(report["seconds"], 30.0)
        self.assertGreater(report["memory"]["start"], 1e6, "the memory was not measured")
        self.assertTrue(report["memory"]["flat"], report["memory"])
        self.assertGreater(report["calls"]["malformed"], 0)
        self.assertGreater(report["calls"]["inverse, 1 point"], 0)
        self.assertFalse(report["node_ended"])
        self.assertEqual(report["long"]["points"], 10000)
        for part in ("one_state", "long"):
            self.assertEqual(report[part]["failed"], 0)
            for kind in ("in_process", "node", "same_size", "empty", "columns_in_process",
                         "columns_node", "columns_same_size"):
                self.assertGreater(report[part][kind]["p50_us"], 0.0)
        launch_testing.asserts.assertExitCodes(proc_info, process=benchmark)
