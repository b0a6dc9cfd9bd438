import type { EffectAction } from '../../port/index.ts';
import { words } from '../../words/index.ts';
import type { Deletions } from './deletions.ts';

/** *Delete* under an answer, for its requester and moderators: takes all of it away. */
export const removeAnswer: EffectAction<{ readonly deletions: Pick<Deletions, 'delete'> }> = {
  who: 'requester-or-moderator',
  answers: 'quiet',
  staysWhenDeleted: true,
  staysWhenShared: true,
  async run({ job, message, requester, reply }, { deletions }) {
    await deletions.delete(job, message, requester, async () => {
      await reply.whisper({ text: words(requester.locale).notAllDeleted });
    });
  },
};
