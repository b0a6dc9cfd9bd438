import type { CommandDependencies } from '../src/app/command-dependencies.ts';
import type { AnyCommand } from '../src/port/index.ts';
import ask from './ask.ts';
import { helpCommand } from './help.ts';
import imagine from './imagine.ts';
import me from './me.ts';
import renders from './renders.ts';
import reset from './reset.ts';
import settings from './settings.ts';
import speak from './speak.ts';
import usage from './usage.ts';
import video from './video.ts';
import voices from './voices.ts';

const talents: readonly AnyCommand<CommandDependencies>[] = [
  ask,
  speak,
  imagine,
  video,
  voices,
  renders,
  usage,
  reset,
  me,
  settings,
];

/** Every command a person can type, in the order in which help shows them. */
export const commands: readonly AnyCommand<CommandDependencies>[] = [...talents, helpCommand(talents)];
