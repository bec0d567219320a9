// Any node that a run starts loads this first (NODE_OPTIONS). It makes modules find the packages of the session, after
// all others, as `require` does by NODE_PATH. It is in the folder that contains those packages. Every version of node
// must be able to load it.
const Module = require("module"), path = require("path"), url = require("url");
const parentURL = url.pathToFileURL(path.join(__dirname, "node", "block.js")).href;

// Whether the package does not exist at all: one that exists but lacks a file is not replaced by another of its name.
function isMissingPackage(error, specifier) {
  const name = /^(?:@[^/]+\/)?[^./@#:][^/:]*(?=\/|$)/.exec(specifier);
  return error && error.code === "ERR_MODULE_NOT_FOUND" && name && String(error.message).startsWith("Cannot find package '" + name[0] + "'");
}

// The result of `make`, now or as a promise; if it fails, that of `otherwise`.
function tried(make, otherwise) {
  let made;
  try {
    made = make();
  } catch (error) {
    return otherwise(error);
  }
  return made && typeof made.then === "function" ? made.catch(otherwise) : made;
}

exports.resolve = function (specifier, context, next) {
  return tried(() => next(specifier, context), (error) => {
    if (error && typeof error.stack === "string") {
      const stack = error.stack.split("\n").filter((line) => !line.includes(__filename) && !line.includes(own));
      error.stack = stack.join("\n");
    }
    if (!isMissingPackage(error, specifier)) throw error;
    return tried(() => next(specifier, Object.assign({}, context, { parentURL })), (other) => {
      throw other && other.code === "ERR_MODULE_NOT_FOUND" ? error : other;
    });
  });
};

const own = url.pathToFileURL(__filename).href;
if (Module.registerHooks) Module.registerHooks({ resolve: exports.resolve });
else if (Module.register) Module.register(own);
