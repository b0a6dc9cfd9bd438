import type { KyselyPlugin, RootOperationNode } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { commandFor } from '../../src/port/index.ts';
import { paidOperations } from '../../src/service-rules/prices.ts';
import { admin, Stage } from './support/stage.ts';

/** Counts how often the settings of a place are read. */
class ReadCounter implements KyselyPlugin {
  reads = 0;

  transformQuery({ node }: { readonly node: RootOperationNode }): RootOperationNode {
    if (node.kind === 'SelectQueryNode' && JSON.stringify(node.from ?? {}).includes('"place_settings"'))
      this.reads++;
    return node;
  }

  async transformResult<T>({ result }: { readonly result: T }): Promise<T> {
    return result;
  }

  /** How often since the last call. */
  take(): number {
    const { reads } = this;
    this.reads = 0;
    return reads;
  }
}

let counter: ReadCounter;
let stage: Stage;
beforeEach(async () => {
  counter = new ReadCounter();
  // With budgets and a confirmation, so that everything that depends on settings happens.
  const settings = { budgets: { user: 9_000, channel: 9_000, workspace: 9_000, total: 9_000 } };
  stage = await Stage.open({ plugin: counter, settings });
  await stage.give('settings', { persona: 'You answer in rhymes.', user_credits: '8000' }, admin);
  counter.take();
});

describe('the settings of a place', () => {
  const options = {
    chat: { prompt: 'hi' },
    speech: { text: 'hi' },
    image: { prompt: 'x' },
    video: { prompt: 'x' },
  };

  it.each(paidOperations)('are read once for a command that costs credits: %s', async (operation) => {
    await stage.make(commandFor[operation], options[operation]);
    // How many buttons stand under what was made is read when that's posted, perhaps much later.
    expect(counter.take()).toBe(operation === 'image' || operation === 'video' ? 2 : 1);
    expect(await stage.ledgerStates()).toEqual(['spent']);
  });

  it('are read once for /usage', async () => {
    await stage.give('usage');
    expect(counter.take()).toBe(1);
    expect(stage.text).toMatch(/of 8,?000 credits left/);
  });

  it('are read once more when a button is pressed later, and what was changed meanwhile applies', async () => {
    await stage.give('ask', { prompt: 'repeat: one' });
    await stage.give('settings', { off: 'ask' }, admin);
    counter.take();
    expect(await stage.press('Regenerate')).toMatchObject({ kind: 'refused' });
    expect(counter.take()).toBe(1);
    await stage.give('settings', { off: 'none' }, admin);
    counter.take();
    await stage.press('Regenerate');
    expect(counter.take()).toBe(1);
    expect(await stage.ledgerStates()).toEqual(['spent', 'spent']);
  });

  it('are read again when a question is confirmed', async () => {
    await stage.give('settings', { confirm_over: '0' }, admin);
    counter.take();
    await stage.give('imagine', { prompt: 'x' });
    expect(counter.take()).toBe(1);
    await stage.press('Yes, go ahead');
    await stage.rendersEnded();
    expect(counter.take()).toBe(2);
    expect(await stage.ledgerStates()).toEqual(['spent']);
  });
});
