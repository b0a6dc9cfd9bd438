import type { AnyCommand } from '../src/port/index.ts';
import ask from './ask.ts';
import { helpCommand } from './help.ts';
import imagine from './imagine.ts';
import renders from './renders.ts';
import reset from './reset.ts';
import settings from './settings.ts';
import speak from './speak.ts';
import type { Parts } from './support/parts.ts';
import usage from './usage.ts';
import video from './video.ts';
import voices from './voices.ts';

const talents: readonly AnyCommand<Parts>[] = [
  ask,
  speak,
  imagine,
  video,
  voices,
  renders,
  usage,
  reset,
  settings,
];

/** Every command a person can type, in the order in which help shows them. */
export const commands: readonly AnyCommand<Parts>[] = [...talents, helpCommand(talents)];

export { AnswersUnderWay } from './support/answers-under-way.ts';
export { budgetsOf, type Ceilings } from './support/budgets.ts';
export { explain, isAboutOptions, worthTryingAgain } from './support/explain.ts';
export { imagePresenter } from './support/image-presenter.ts';
export { KeyWatch } from './support/key-watch.ts';
export { Operators } from './support/operators.ts';
export type { Parts } from './support/parts.ts';
export { placeRules } from './support/place-rules.ts';
export { Suggestions } from './support/suggestions.ts';
export { videoPresenter } from './support/video-presenter.ts';
export { VoiceSamples } from './support/voice-samples.ts';
