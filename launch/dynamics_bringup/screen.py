# SPDX-License-Identifier: Apache-2.0
"""A virtual display (Xvfb) and screenshots of it, without further programs."""

import os
import pathlib
import select
import shutil
import struct
import subprocess
import tempfile
import zlib


class Screen:
    """An Xvfb process, ended by close()."""

    def __init__(self, width, height, seconds=30.0):
        """Start Xvfb on a free display number."""
        self.folder = tempfile.mkdtemp(prefix="screen_")
        reader, writer = os.pipe()
        self.process = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", f"{width}x{height}x24",
             "-fbdir", self.folder, "-nolisten", "tcp", "-nocursor", "+extension", "GLX"],
            pass_fds=[writer], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(writer)
        number = b""
        while not number.endswith(b"\n"):  # Xvfb may write it in several parts
            ready, _, _ = select.select([reader], [], [], seconds)
            part = os.read(reader, 16) if ready else b""
            if not part:
                os.close(reader)
                self.close()
                raise RuntimeError("Xvfb did not start")
            number += part
        os.close(reader)
        self.display = f":{number.decode().strip()}"

    def close(self):
        """End Xvfb."""
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def rows(self):
        """Return the rows of the screen, three bytes per pixel: red, green, blue."""
        content = pathlib.Path(self.folder, "Xvfb_screen0").read_bytes()
        # X11/XWDFile.h: 25 words; the first is the size of the header including its text
        header = struct.unpack(">25I", content[:100])
        size, width, height = header[0], header[4], header[5]
        bits, line, colors = header[11], header[12], header[19]
        if bits != 32 or header[7] != 0:
            raise RuntimeError("the format of Xvfb is not 32 bits per pixel with blue first")
        start = size + 12 * colors
        lines = []
        for row in range(height):
            pixels = content[start + row * line:start + row * line + 4 * width]
            color = bytearray(3 * width)
            color[0::3], color[1::3], color[2::3] = pixels[2::4], pixels[1::4], pixels[0::4]
            lines.append(bytes(color))
        return lines

    def save(self, file, box=None):
        """Write a PNG of the screen, or of a box (left, top, right, bottom)."""
        lines = self.rows()
        if box is not None:
            left, top, right, bottom = box
            lines = [line[3 * left:3 * right] for line in lines[top:bottom]]
        pathlib.Path(file).write_bytes(png(lines))


def png(lines):
    """Return a PNG file of lines of red, green and blue bytes."""

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    def filtered():
        above = bytes(len(lines[0]))
        for line in lines:
            # filter "Up": sufficient for flat colors
            yield b"\2" + bytes((a - b) & 255 for a, b in zip(line, above))
            above = line

    head = struct.pack(">2I5B", len(lines[0]) // 3, len(lines), 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) +
            chunk(b"IDAT", zlib.compress(b"".join(filtered()), 9)) + chunk(b"IEND", b""))
