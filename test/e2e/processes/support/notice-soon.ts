import { runProcess } from '../../../../src/start/run-process.ts';
import { patience } from '../../../patience.ts';

// The bot as a process that takes others for dead soon, and doesn't take a busy machine's database for silent.
await runProcess({ deadAfter: 4_000, silentAfter: patience.timeout });
