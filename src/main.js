import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';

// This file is JavaScript, or Node would load what strips types for it, 15 MB: all others are compiled since the last start.

// V8 sometimes aborts while it frees single pieces of WebAssembly code (`Check failed: end > addr`, Node 24.21), and
// an abort in any thread ends the whole process with all it has under way. The main thread reads every HTTP answer by
// WebAssembly (undici's parser), threads read sound by it (src/media). What is not freed is little: a codec's code
// goes with its thread, the parser's is kept once.
setFlagsFromString('--no-wasm-code-gc');
// Whatever this process makes is nobody else's to read.
process.umask(0o077);

// What the last process read and compiled isn't read and compiled again. Beside the code, whose owner alone may write there:
// nobody else's code is run. Where nobody may write, or `NODE_COMPILE_CACHE` is set, this does nothing.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/troupe'));
const { runProcess } = await import('./start/run-process.ts');

await runProcess();
