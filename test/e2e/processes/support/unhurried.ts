import { runProcess } from '../../../../src/start/run-process.ts';
import { patience } from '../../../patience.ts';

// The bot as a process that doesn't take a busy machine's database for silent.
await runProcess({ silentAfter: patience.timeout });
