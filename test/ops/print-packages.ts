import { registerHooks } from 'node:module';

// Loaded before a program: writes the name of every package to stderr when the program loads the first file of it.
const seen = new Set<string>();

registerHooks({
  load(url, context, next) {
    const name = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(url)?.[1];
    if (name !== undefined && !seen.has(name)) {
      seen.add(name);
      process.stderr.write(`${name}\n`);
    }
    return next(url, context);
  },
});
