import type { DefinedCommand } from '../src/app/define-command.ts';
import ask from './ask.ts';
import { helpCommand } from './help.ts';
import imagine from './imagine.ts';
import me from './me.ts';
import privacy from './privacy.ts';
import renders from './renders.ts';
import report from './report.ts';
import reset from './reset.ts';
import settings from './settings.ts';
import speak from './speak.ts';
import usage from './usage.ts';
import video from './video.ts';
import voices from './voices.ts';

const talents: readonly DefinedCommand[] = [
  ask,
  speak,
  imagine,
  video,
  voices,
  renders,
  usage,
  reset,
  me,
  privacy,
  report,
  settings,
];

/** Every command a person can type, in the order in which help shows them. */
export const commands: readonly DefinedCommand[] = [...talents, helpCommand(talents)];
