import { expect, test } from 'vitest';
import { LocalFaults } from '../../../src/lib/local-faults.ts';
import {
  climb,
  type Door,
  type DoorName,
  type MakeForm,
  type Message,
  type MessageAddress,
  type Outgoing,
  persistently,
  PlatformError,
} from '../../../src/port/index.ts';
import { FakeClock } from '../../fakes/clock.ts';

const clock = new FakeClock();
const run = persistently({
  work: 'a clip',
  clock,
  signal: new AbortController().signal,
  troubles: new LocalFaults(),
  log: { warn: () => {} },
});
const at = (message: string): MessageAddress => ({
  platform: 'slack',
  workspace: 'T',
  channel: 'C',
  message,
});
const answer: Message = { text: 'The tides', mentions: ['ann'] };

/** Doors, what they were given, and which of them refuse or were used before. */
function doors(refused: readonly string[] = [], begun: readonly string[] = []) {
  const sent: [door: string, message: Message][] = [];
  const door = (name: DoorName, over: Partial<Door> = {}): Door => ({
    name,
    seenBy: name === 'direct' || name === 'aside' ? 'requester' : 'place',
    put: async (message) => {
      sent.push([name, message]);
      if (refused.includes(name)) throw new PlatformError('not-a-member');
      return at(name);
    },
    isBegun: async () => begun.includes(name),
    maxFileBytes: async () => 1_000,
    ...over,
  });
  const names = () => sent.map(([name]) => name);
  return { sent, names, door };
}

const outgoing = (through: readonly Door[], over: Partial<Outgoing> = {}): Outgoing => ({
  audience: 'place',
  isPaid: true,
  doors: () => through,
  forms: new Map<'whole', MakeForm>([['whole', () => answer]]),
  key: ({ door, form }) => `${door} ${form}`,
  ...over,
});

test('what was begun before comes first, whatever its place takes by now', async () => {
  const { names, door } = doors([], ['direct']);
  const { at: there } = await climb(outgoing([door('here'), door('direct')]), run);
  expect(there).toEqual(at('direct'));
  expect(names()).toEqual(['direct']);
});

test('where what was begun is refused, the others in their order; it isn’t tried again', async () => {
  const { names, door } = doors(['direct', 'here'], ['direct']);
  const climbing = climb(outgoing([door('here'), door('token'), door('direct')]), run);
  expect((await climbing).at).toEqual(at('token'));
  expect(names()).toEqual(['direct', 'here', 'token']);
});

test('what comes directly says why, and notifies nobody else', async () => {
  const { sent, door } = doors(['here']);
  const sentDirectly = (why?: string) => `Because: ${why}`;
  const landed = await climb(outgoing([door('here'), door('direct')], { sentDirectly }), run);
  expect(landed.why).toBe('not-a-member');
  expect(sent).toEqual([
    ['here', answer],
    ['direct', { text: 'Because: not-a-member\n\nThe tides' }],
  ]);
});

test('what has words of its own for that says those', async () => {
  const { sent, door } = doors(['here']);
  const forms = new Map<'whole', MakeForm>([['whole', () => ({ ...answer, directly: 'Elsewhere' })]]);
  await climb(outgoing([door('here'), door('direct')], { forms, sentDirectly: () => 'Because' }), run);
  expect(sent.at(-1)).toEqual(['direct', { text: 'Elsewhere' }]);
});

test('a form that can’t be made is passed over like one that’s refused', async () => {
  const { names, door } = doors();
  const forms = new Map<'whole' | 'link', MakeForm>([
    ['whole', () => Promise.reject(new PlatformError('file-not-allowed'))],
    ['link', () => ({ text: 'the link' })],
  ]);
  expect((await climb(outgoing([door('here')], { forms }), run)).at).toEqual(at('here'));
  expect(names()).toEqual(['here']);
});

test('the last refusal is told where nothing takes it', async () => {
  const { door } = doors(['here', 'direct']);
  const refused: string[] = [];
  const climbing = climb(
    outgoing([door('here'), door('direct')], { refused: (_, rung) => refused.push(rung.door) }),
    run,
  );
  await expect(climbing).rejects.toMatchObject({ kind: 'not-a-member' });
  expect(refused).toEqual(['here', 'direct']);
});

test('a platform that does not run yet is waited for before anything is posted', async () => {
  const { names, door } = doors([], ['direct']);
  let isRunning = false;
  const through = () => {
    if (!isRunning) throw new PlatformError('unreachable');
    return [door('here'), door('direct')];
  };
  const brought = climb(outgoing([], { doors: through }), run);
  await clock.advance(60_000);
  expect(names()).toEqual([]);
  isRunning = true;
  await clock.advance(300_000);
  expect((await brought).at).toEqual(at('direct'));
});

test('soon after the database is back, however long it was away; a platform is left in peace', async () => {
  const takes = async (error: Error) => {
    let isAway = true;
    let posted: number | undefined;
    const put = async () => {
      if (isAway) throw error;
      posted = clock.now();
      return at('here');
    };
    const posting = climb(outgoing([doors().door('here', { put })]), run);
    await clock.advance(1_000_000);
    isAway = false;
    const back = clock.now();
    await clock.advance(300_000);
    await posting;
    return (posted ?? 0) - back;
  };
  const away = Object.assign(new Error('the database'), { code: 'ERR_POSTGRES_AWAY' });
  expect(await takes(away)).toBeLessThanOrEqual(15_000);
  expect(await takes(new PlatformError('unreachable'))).toBeGreaterThan(15_000);
});
