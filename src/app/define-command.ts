import type { EffectiveSettings } from '../place-settings/index.ts';
import type { Command, Options } from '../port/index.ts';
import type { CommandDependencies } from './command-dependencies.ts';

/**
 * Defines one of troupe's commands; the types of its values come from its options.
 *
 * ```ts
 * import { defineCommand } from './define-command.ts';
 *
 * export default defineCommand({
 *   name: 'echo',
 *   description: { en: 'Repeat something', 'zh-CN': '重复一句话' },
 *   help: { en: 'Example: `/echo text:hello`', 'zh-CN': '例如：`/echo text:你好`' },
 *   options: {
 *     text: { type: 'text', required: true, description: { en: 'What to repeat', 'zh-CN': '要重复的话' } },
 *   },
 *   textOption: 'text',
 *   seenBy: 'channel',
 *   async run({ options: { text }, reply }) {
 *     await reply.say({ text });
 *   },
 * });
 * ```
 */
export function defineCommand<const D extends Options>(
  command: Command<CommandDependencies, D, EffectiveSettings>,
): Command<CommandDependencies, D, EffectiveSettings> {
  return command;
}
