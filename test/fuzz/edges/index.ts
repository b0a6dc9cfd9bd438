import type { Edge } from '../edge.ts';
import { configuration } from './configuration.ts';
import { discordEvents } from './discord-events.ts';
import { consoleMarkdown, discordMarkdown, slackMarkdown, slackWritten } from './markdown.ts';
import { decodedImages, mediaHeaders, ranges } from './media.ts';
import { consoleRequests, discordOptions, options, slackCommandLine, slackForms } from './options.ts';
import { presses } from './payloads.ts';
import { regexes } from './regexes.ts';
import { answers, decoders, splits } from './service-answers.ts';
import { slackRequests } from './slack-requests.ts';

/** Everywhere something comes in from outside. */
export const edges: readonly Edge[] = [
  configuration,
  options,
  discordOptions,
  slackCommandLine,
  slackForms,
  consoleRequests,
  presses,
  slackRequests,
  discordEvents,
  decoders,
  answers,
  splits,
  mediaHeaders,
  decodedImages,
  ranges,
  discordMarkdown,
  slackMarkdown,
  slackWritten,
  consoleMarkdown,
  regexes,
];
