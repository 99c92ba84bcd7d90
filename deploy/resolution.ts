import { type ResolveFnOutput, registerHooks } from 'node:module';

// Loaded by `node --import` before a process. The modules of a process import each other 7,000 times,
// and Node asks the file system about each import: a third of the CPU of a start. Two rules answer
// most of them. A relative import that names a file with its ending means this file. And one name of
// a package means the same module in all files of a folder. Nothing is stored, so nothing can be out
// of date, and Node resolves the rest.

const fileEnding = /\.(?:js|mjs|ts|json)$/;
const modules = new Map<string, ResolveFnOutput>();

/** The workspace has one module for each name of its own packages. */
const folderOf = (parent: string, specifier: string): string =>
  specifier.startsWith('@bailiwick/') ? '' : parent.slice(0, parent.lastIndexOf('/'));

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL: parent, conditions } = context;
    if (parent === undefined || specifier.startsWith('node:')) return next(specifier, context);
    const isImport = conditions.includes('import');
    if (specifier.startsWith('.')) {
      // A name that a `require` asks for may lack its ending.
      if (!isImport || !fileEnding.test(specifier)) return next(specifier, context);
      return { url: new URL(specifier, parent).href, shortCircuit: true };
    }
    const key = `${folderOf(parent, specifier)} ${specifier} ${isImport ? 'import' : 'require'}`;
    const known = modules.get(key);
    if (known) return known;
    const module = { ...next(specifier, context), shortCircuit: true };
    modules.set(key, module);
    return module;
  },
});
