import { beforeEach, describe, expect, it } from 'vitest';
import { here, ledgerRow } from '../fakes/records.ts';
import { LedgerStage } from './ledger-stage.ts';

let stage: LedgerStage;
let begun: number;
const workspace = () => ({ platform: 'console', workspace: 'w', since: begun });

/** Spends in a channel; of a range its lower end is a quarter. */
async function spend(person: string, channel: string, high: number, kind: 'image' | 'chat' = 'image') {
  const job = await stage.job(person, { ...here, channel });
  const low = kind === 'chat' ? high / 4 : high;
  const reservation = await stage.credits.reserve(
    await stage.call(0, { job, kind, estimate: { low, high } }),
  );
  await reservation.settle({ requestId: `req_${job.id}` });
}

beforeEach(async () => {
  stage = await LedgerStage.open();
  begun = stage.clock.now();
  await spend('ann', 'one', 22);
  await spend('ann', 'two', 8, 'chat');
  await spend('bob', 'one', 44);
  await stage.clock.advance(1_000);
  await (await stage.credits.reserve(await stage.call(22, {}, 'cid'))).release();
  await (await stage.credits.reserve(await stage.call(5, {}, 'cid'))).uncertain();
  await stage.credits.reserve(await stage.call(1_000, {}, 'cid'));
});

describe('what was used', () => {
  it('adds up by person, the most first; what is under way counts as reserved, and what failed is not in it', async () => {
    expect(await stage.credits.usage(workspace(), 'user')).toEqual([
      { key: 'cid', name: 'CID', calls: 2, low: 1_005, high: 1_005, uncertain: 1, underWay: 1 },
      { key: 'bob', name: 'BOB', calls: 1, low: 44, high: 44, uncertain: 0, underWay: 0 },
      { key: 'ann', name: 'ANN', calls: 2, low: 24, high: 30, uncertain: 0, underWay: 0 },
    ]);
  });

  it('adds up by channel and by kind', async () => {
    const by = async (grouping: 'channel' | 'kind') =>
      (await stage.credits.usage(workspace(), grouping)).map(({ key, high }) => [key, high]);
    expect(await by('channel')).toEqual([
      ['c', 1_005],
      ['one', 66],
      ['two', 8],
    ]);
    expect(await by('kind')).toEqual([
      ['image', 1_071],
      ['chat', 8],
    ]);
  });

  it('is one person’s alone, wherever they were, or since a moment alone', async () => {
    const own = { platform: 'console', person: 'ann', since: begun };
    expect(await stage.credits.usage(own, 'channel')).toMatchObject([{ key: 'one' }, { key: 'two' }]);
    const late = { ...workspace(), since: begun + 1 };
    expect(await stage.credits.usage(late, 'user')).toMatchObject([{ key: 'cid' }]);
    expect(await stage.credits.usage({ ...workspace(), workspace: 'x' }, 'user')).toEqual([]);
  });
});

describe('very many calls', () => {
  it('are added up slice by slice to the same', async () => {
    const row = (index: number) =>
      ledgerRow(`row${index}`, {
        ...{ workspace: 'big', channel: `c${index % 3}`, low: 100_001, high: 100_001 },
        // Half of them at one and the same moment, more than a slice has.
        created_at: begun + (index < 12_000 ? 0 : index),
      });
    for (let first = 0; first < 24_000; first += 400) {
      const rows = Array.from({ length: 400 }, (_, index) => row(first + index));
      await stage.database.insertInto('ledger').values(rows).execute();
    }
    const scope = { platform: 'console', workspace: 'big', since: begun };
    expect(await stage.credits.usage(scope, 'channel')).toEqual(
      ['c0', 'c1', 'c2'].map((key) => ({
        ...{ key, name: key, calls: 8_000, low: 800.008, high: 800.008, uncertain: 0, underWay: 0 },
      })),
    );
  });
});

describe('the table of calls', () => {
  const table = async () => {
    const { bytes, rows } = await stage.credits.csv(workspace());
    const [head = '', ...lines] = Buffer.from(bytes).toString().trimEnd().split('\r\n');
    return { head, lines, rows };
  };

  it('has every call with all the ledger knows, failed ones too', async () => {
    const { head, lines, rows } = await table();
    expect(rows).toBe(6);
    expect(lines).toHaveLength(6);
    expect(head).toBe(
      '\uFEFFtime,platform,workspace,channel,thread,person_id,person,conversation_id,kind,model,input_tokens,cache_read_tokens,cache_creation_tokens,output_tokens,seconds,images,state,estimated,credits_low,credits_high,request_id,prompt',
    );
    expect(lines.find((line) => line.includes('req_job2'))).toBe(
      '2026-11-20T12:00:00.000Z,console,w,two,,ann,ANN,conversation,chat,image 2k,,,,,,1,spent,0,2,8,req_job2,',
    );
    expect(lines.filter((line) => line.includes(',failed,'))).toHaveLength(1);
  });

  it('is read page by page, losing nothing where many calls share a moment', async () => {
    for (let first = 0; first < 4_500; first += 450) {
      const rows = Array.from({ length: 450 }, (_, index) =>
        ledgerRow(`row${first + index}`, { created_at: begun + 5 }),
      );
      await stage.database.insertInto('ledger').values(rows).execute();
    }
    const { bytes, rows } = await stage.credits.csv({ ...workspace(), since: begun + 5 });
    expect(rows).toBe(4_500 + 3);
    expect(Buffer.from(bytes).toString().trimEnd().split('\r\n')).toHaveLength(4_500 + 3 + 1);
  });

  it('keeps names from breaking the table or being calculated', async () => {
    const job = { ...(await stage.job('eve')), requester: { ...(await stage.job('eve')).requester } };
    const named = (name: string) => ({ ...job, requester: { ...job.requester, name } });
    await stage.credits.reserve(await stage.call(1, { job: named('Eve, "the\nfirst"') }));
    await stage.credits.reserve(await stage.call(1, { job: named('=HYPERLINK("x")') }));
    // Some spreadsheets split at these, too, also within quotes.
    await stage.credits.reserve(await stage.call(1, { job: named('a;=1;b\t@2\n" -3;＝4; c') }));
    const { bytes } = await stage.credits.csv(workspace());
    const text = Buffer.from(bytes).toString();
    expect(text).toContain('"Eve, ""the\nfirst"""');
    expect(text).toContain(`"'=HYPERLINK(""x"")"`);
    expect(text).toContain(`"a;'=1;b\t'@2\n"" '-3;'＝4; c"`);
  });
});
