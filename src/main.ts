import { setFlagsFromString } from 'node:v8';
import { runProcess } from './start/run-process.ts';

// V8 sometimes aborts while it frees single pieces of WebAssembly code (`Check failed: end > addr`, Node 24.21), and
// an abort in any thread ends the whole process with all it has under way. The main thread reads every HTTP answer by
// WebAssembly (undici's parser), threads read sound by it (src/media). What is not freed is little: a codec's code
// goes with its thread, the parser's is kept once.
setFlagsFromString('--no-wasm-code-gc');
// Whatever this process makes is nobody else's to read.
process.umask(0o077);

await runProcess();
