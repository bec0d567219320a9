// Runs a block in node. The source comes from a descriptor; its name is `block N` in the working folder, or the
// person's file, where `require` and `import` start to search. A block with import, export or a
// top-level await becomes a module. Node's own queue starts it, so that its stack contains nothing of this script.
const fs = require("node:fs"), path = require("node:path"), vm = require("node:vm"), Module = require("node:module");
let source = fs.readFileSync(90, "utf8").replace(/^\uFEFF/, "");
fs.closeSync(90);
const file = path.resolve(process.argv[1]);
if (process.argv[2] === "typescript") {
  // Types are replaced by blanks, so lines and columns stay the same. The warning that this is experimental is hidden.
  const warn = process.emitWarning;
  process.emitWarning = () => {};
  try {
    source = Module.stripTypeScriptTypes(source);
  } catch (error) {
    console.error(String(error.message || error));
    process.exit(1);
  }
  process.emitWarning = warn;
}
process.argv = [process.execPath, file];
const packages = process.env.SAYSO_PACKAGES;
delete process.env.SAYSO_PACKAGES;

function needsModule() {
  try {
    new vm.Script(Module.wrap(source), { filename: file });
    return false;
  } catch (error) {
    return /import statement outside|Unexpected token 'export'|import\.meta|await is only valid|Unexpected reserved word/
      .test(error.message);
  }
}

function asScript() {
  const main = new Module(file, null);
  main.id = ".";
  main.filename = file;
  main.paths = Module._nodeModulePaths(path.dirname(file));
  process.mainModule = main;
  process.nextTick(main._compile.bind(main), source, file);
  process.nextTick(() => { main.loaded = true; });
}

async function asModule() {
  globalThis.require = Module.createRequire(file);
  const url = require("node:url").pathToFileURL(file).href;
  const warn = process.emitWarning;
  process.emitWarning = () => {};
  // Packages of the session are found after those of the working folder.
  const load = async (name) => {
    try {
      return await import(/^\.{1,2}\//.test(name) ? new URL(name, url).href : name);
    } catch (error) {
      const own = name.split("/", name.startsWith("@") ? 2 : 1).join("/");
      if (!packages || !String(error.message).startsWith("Cannot find package '" + own + "'")) throw error;
      const installed = Module.createRequire(path.join(packages, "block.js"));
      return import(require("node:url").pathToFileURL(installed.resolve(name)).href);
    }
  };
  const block = new vm.SourceTextModule(source, {
    identifier: file,
    initializeImportMeta: (meta) => {
      meta.url = url;
      meta.filename = file;
      meta.dirname = path.dirname(file);
    },
    importModuleDynamically: load,
  });
  await block.link(async (name) => {
    const found = await load(name);
    const names = Object.keys(found);
    return new vm.SyntheticModule(names, function () {
      for (const each of names) this.setExport(each, found[each]);
    }, { context: block.context });
  });
  process.emitWarning = warn;
  process.nextTick(block.evaluate.bind(block));
}

// An error while loading has frames of this script.
function withoutOwn(error) {
  if (error && typeof error.stack === "string") {
    const stack = error.stack.replace(/\n +at [^\n]*\[eval\][^\n]*/g, "");
    error.stack = stack.replace(/imported from [^\n]*\[eval\]/, () => "imported from " + file);
  }
  throw error;
}

if (needsModule()) asModule().catch(withoutOwn);
else asScript();
