import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';

// This file is JavaScript, or Node would load what strips types for it, 15 MB: all others are compiled since the last start.

// V8 sometimes aborts while it frees single pieces of WebAssembly code (`Check failed: end > addr`, Node 24.21), and
// an abort in any thread ends the whole process with all it has under way. The main thread reads every HTTP answer by
// WebAssembly (undici's parser), threads read sound by it (src/media). What is not freed is little: a codec's code
// goes with its thread, the parser's is kept once.
setFlagsFromString('--no-wasm-code-gc');
// V8 would optimize undici's parser after a few answers, which takes 16 MB and makes requests no cheaper. Codecs reach
// this budget, 15 times V8's own, within a clip.
setFlagsFromString('--wasm-tiering-budget=200000000');
// Whatever this process makes is nobody else's to read.
process.umask(0o077);

// What the last process read and compiled isn't read and compiled again. Beside the code, whose owner alone may write there:
// nobody else's code is run. Where nobody may write, this does nothing. Threads have it from the environment.
process.env.NODE_COMPILE_CACHE ||= join(import.meta.dirname, '../node_modules/.cache/troupe');
enableCompileCache(process.env.NODE_COMPILE_CACHE);
const { runProcess } = await import('./start/run-process.ts');

await runProcess();
