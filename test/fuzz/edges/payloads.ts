import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Address, type Job, locales, type Person } from '../../../src/port/index.ts';
import { createJobs } from '../../../src/store/index.ts';
import { Stage } from '../../commands/support/stage.ts';
import { type AnyCommand, commands } from '../../fakes/commands.ts';
import { anyText, type Edge } from '../edge.ts';

const all = commands as unknown as readonly AnyCommand[];
const here: Address = { platform: 'console', workspace: 'w', channel: 'c' };
const elsewhere: Address = { platform: 'console', workspace: 'another', channel: 'd' };
const next: Address = { platform: 'console', workspace: 'w', channel: 'e' };
const requester: Person = { id: 'ann', name: 'Ann', locale: 'en', administrator: false, moderator: false };

const people = fc.record({
  id: fc.constantFrom('ann', 'ben', ''),
  name: anyText,
  locale: fc.constantFrom(...locales),
  administrator: fc.boolean(),
  moderator: fc.boolean(),
});

/** One of Ann's jobs of each command, as it stands on record. */
const jobs: readonly Job[] = all.map(({ name }) => ({
  id: `job-${name}`,
  command: name,
  options: { prompt: 'a cat', text: 'hello', duration: 5, ratio: '9:16', size: '2k' },
  address: here,
  requester,
  createdAt: 0,
}));

const actionNames = [...new Set(all.flatMap(({ actions = {} }) => Object.keys(actions)))];
const actionIds = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(
        fc.oneof(
          fc.constantFrom(...all.map(({ name }) => name)),
          fc.constantFrom('__proto__', 'constructor'),
        ),
        fc.constantFrom(...actionNames, 'again', 'yes', 'no', 'constructor', '__proto__', 'to_string'),
        fc.oneof(fc.constantFrom(...jobs.map(({ id }) => id)), anyText),
      )
      .map(([command, action, job]) => `${command}.${action}:${job}`),
  },
  anyText,
);
const entered = fc.option(
  fc.dictionary(
    fc.oneof(
      fc.constantFrom('prompt', 'text', 'size', 'duration', 'persona', 'scope', 'off', '__proto__'),
      anyText,
    ),
    fc.oneof(anyText, fc.double(), fc.boolean()),
    { maxKeys: 5 },
  ),
);

/** Buttons and forms as anybody could send them: forged, other people's, from other places. */
export const presses: Edge = {
  name: 'buttons and forms',
  async open() {
    const stage = await Stage.open();
    const records = createJobs(stage.database);
    for (const job of jobs) {
      await records.add(job, `event ${job.id}`);
      await records.end(job.id, 'done');
    }
    let events = 0;
    const property = fc.asyncProperty(
      actionIds,
      people,
      fc.constantFrom(here, next, elsewhere),
      entered,
      async (actionId, person, address, values) => {
        const prepared = await stage.bot.dispatcher.preparePress({
          eventId: `fuzz ${++events}`,
          actionId,
          address,
          message: { ...address, message: 'm1' },
          requester: person,
          ...(values !== null && { values }),
        });
        if (prepared.kind === 'refused') return assert.ok(prepared.text.trim() !== '');
        const [, command = '', action = '', id = ''] = /^([a-z_]+)\.([a-z_]+):(.+)$/s.exec(actionId) ?? [];
        const job = jobs.find((one) => one.id === id);
        const definition = all.find(({ name }) => name === command);
        assert.ok(job && definition, `nobody has such a button: ${actionId}`);
        const who = definition.actions?.[action]?.who ?? 'requester';
        const may =
          person.id === 'ann' || who === 'anyone' || (who === 'requester-or-moderator' && person.moderator);
        assert.ok(may, `${person.id} may not press ${actionId}`);
        assert.ok(person.id === 'ann' || address !== elsewhere, `${actionId} was pressed from elsewhere`);
      },
    );
    return { property };
  },
};
