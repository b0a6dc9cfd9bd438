import { runProcess } from '../../../../src/start/run-process.ts';

// The bot as a process that takes others for dead soon.
await runProcess({ deadAfter: 2_000 });
