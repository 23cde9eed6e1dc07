// SPDX-License-Identifier: Apache-2.0
// Builds the page into one file, or (--tests) the tests. Usage: node build.mjs [--tests] [--out DIRECTORY]

import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const flag = process.argv.indexOf("--out");
const out = flag > 0 ? process.argv[flag + 1] : join(here, "build");

async function build_page() {
  const result = await build({
    entryPoints: [join(here, "src/main.ts")],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2020",
    charset: "utf8",
    legalComments: "inline",
    outdir: out,
    write: false,
  });
  const text = (ending) => result.outputFiles.find((file) => file.path.endsWith(ending)).text;
  const fill = (page, mark, content) => {
    if (page.split(mark).length !== 2) throw new Error(`the template must hold ${mark} once`);
    // a function, so that $ in the content is not interpreted
    return page.replace(mark, () => content);
  };
  let page = readFileSync(join(here, "src/viewer.html"), "utf8");
  page = fill(page, "/* STYLE */", text(".css"));
  page = fill(page, "/* SCRIPT */", text(".js").replace(/<\/(script)/gi, "<\\/$1").replace(/<!--/g, "<\\!--"));
  for (const mark of ["__DYNAMICS_RUN__", "__DYNAMICS_COMPARE__", "__DYNAMICS_MESHES__"]) {
    if (page.split(mark).length !== 2) throw new Error(`the page must hold ${mark} exactly once`);
  }
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, "viewer.html"), page);
  console.log(`${join(out, "viewer.html")}: ${Math.round(page.length / 1024)} KiB`);
}

async function build_tests() {
  const tests = readdirSync(join(here, "test")).filter((name) => name.endsWith(".test.ts"));
  await build({
    entryPoints: tests.map((name) => join(here, "test", name)),
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node18",
    external: ["playwright-core"],
    sourcemap: "inline",
    outdir: join(out, "test"),
    outExtension: { ".js": ".mjs" },
  });
}

await (process.argv.includes("--tests") ? build_tests() : build_page());
