# SPDX-License-Identifier: Apache-2.0
"""pip install --no-build-isolation ./dynamics_python

Builds the extension module with CMake. It links the installed dynamics_core if CMake finds it
(source install/setup.bash), else it compiles ../dynamics_core, which takes some minutes. Options of
CMake: the environment variable CMAKE_ARGS.
"""
import os
import pathlib
import shlex
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

FOLDER = pathlib.Path(__file__).resolve().parent


class BuildWithCMake(build_ext):
    def build_extension(self, extension):
        package = pathlib.Path(self.get_ext_fullpath(extension.name)).resolve().parent
        build = pathlib.Path(self.build_temp).resolve()
        build.mkdir(parents=True, exist_ok=True)
        configure = [
            "cmake", "-S", str(FOLDER), "-B", str(build), "-DCMAKE_BUILD_TYPE=Release",
            "-DBUILD_TESTING=OFF", f"-DPython_EXECUTABLE={sys.executable}",
            # as in colcon's builds: objects are shared
            *(["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if has("ccache") else []),
            *(["-G", "Ninja"] if has("ninja") else []),
            *shlex.split(os.environ.get("CMAKE_ARGS", "")),
        ]
        subprocess.run(configure, check=True)
        subprocess.run(["cmake", "--build", str(build), "--target", "_core", "--parallel"],
                       check=True)
        package.mkdir(parents=True, exist_ok=True)
        built = next((build / "python/dynamics").glob("_core*.so"))
        self.copy_file(str(built), self.get_ext_fullpath(extension.name))


def has(program):
    from shutil import which

    return which(program) is not None


setup(
    packages=["dynamics"],
    package_data={"dynamics": ["py.typed", "*.pyi"]},
    ext_modules=[Extension("dynamics._core", sources=[])],
    cmdclass={"build_ext": BuildWithCMake},
    zip_safe=False,
)
