import type { Message, Person } from '../../../port/index.ts';

/** Who asks where a step of a workflow names nobody: no message can mention them. */
export const anyone: Person = {
  ...{ id: 'workflow', name: 'Workflow', locale: 'en' },
  ...{ administrator: false, moderator: false },
};

/** The message without a mention of them. */
export function mentioningPeople<M extends Message>(message: M): M {
  const { mentions } = message;
  return mentions?.includes(anyone.id)
    ? { ...message, mentions: mentions.filter((id) => id !== anyone.id) }
    : message;
}
