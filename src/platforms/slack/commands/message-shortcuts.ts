import type { AnyCommand } from '../../../port/index.ts';

/** What the ids of the shortcuts begin with; the command's name follows. */
const idPrefix = 'message.';

/** The shortcuts in the menu of a message, as the manifest has them. A manifest has one language. */
export function messageShortcuts(commands: readonly AnyCommand<never>[]) {
  return commands.flatMap(({ name, fromMessage }) =>
    fromMessage
      ? [
          {
            name: fromMessage.label.en,
            type: 'message' as const,
            callback_id: `${idPrefix}${name}`,
            description: fromMessage.description.en,
          },
        ]
      : [],
  );
}

/** The command of a shortcut; undefined where its id isn't ours. */
export function shortcutCommand(callbackId: string): string | undefined {
  return callbackId.startsWith(idPrefix) ? callbackId.slice(idPrefix.length) : undefined;
}

/** All ids of shortcuts. */
export const shortcutIds = new RegExp(`^${idPrefix.replace('.', '\\.')}`);
