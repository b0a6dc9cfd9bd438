import type Keyv from 'keyv';
import type { Draft, Drafts } from '../../port/index.ts';

/** How long a form can be submitted after it was opened, in milliseconds. */
const lifetime = 3_600_000;

/** The dispatcher's `Drafts` over a namespace of Keyv. */
export function createDrafts(records: Keyv, newId: () => string): Drafts {
  return {
    async keep(draft) {
      const id = newId();
      await records.set(id, draft, lifetime);
      return id;
    },
    find: (id) => records.get<Draft>(id),
  };
}
