import { describe, expect, it } from 'vitest';
import type { ControlRoom, ControlState } from '../../../src/port/index.ts';
import { startStage } from '../../platforms/console/support/stage.ts';
import { chromiumNote, chromiumPath, openPage, overflow, phone } from '../support/browser.ts';

const token = 'a token of thirty-two characters';
const none = { chat: 0, speech: 0, image: 0, video: 0 };
const hostile = '<img src=x onerror=alert(1)>';

/** A room whose state follows what it's told to do. */
function smallRoom(): ControlRoom {
  let isOff = false;
  let ceiling = 0;
  let live: ControlState['live'] = [
    {
      id: 'job1',
      command: 'video',
      stage: 'queued',
      platform: 'discord',
      workspace: '1',
      person: hostile,
      since: Date.now(),
      canCancel: true,
    },
  ];
  const spender = { platform: 'discord', workspace: '1', person: '', name: '', credits: 42, calls: 3 };
  const fault = { command: 'ask', platform: 'discord', workspace: '1', what: 'ServerError', code: '502' };
  return {
    state: async () => ({
      at: Date.now(),
      spending: {
        days: [{ day: Date.now(), kinds: { ...none, video: 42 } }],
        places: [spender],
        people: [{ ...spender, workspace: '', person: 'p', name: hostile }],
        isWhole: true,
      },
      places: [
        {
          ...{ platform: 'discord', workspace: '1', name: hostile, members: 1_204, today: 42, credits: 42 },
          ...{ calls: 3, faults: 1, isOff, ceiling },
        },
      ],
      live,
      hasMoreLive: false,
      queue: { calls: { chat: 0, videos: 2 }, renders: 1, deliveries: 0 },
      faults: [{ id: 'job0', at: Date.now(), ...fault, request: 'req_1' }],
    }),
    trail: async () => [
      { step: 'command', at: Date.now(), what: 'ask', state: 'failed' },
      { step: 'call', at: Date.now(), what: 'chat', state: 'failed', request: 'req_1', credits: 0 },
      { step: 'post', what: 'discord', link: 'https://discord.com/channels/1/2/3' },
    ],
    switchPlace: async (_, off) => {
      isOff = off;
      return 'done';
    },
    setCeiling: async (_, credits) => {
      ceiling = credits;
      return 'done';
    },
    cancel: async () => {
      live = [];
      return 'done';
    },
    retry: async () => 'unchanged',
    sendTest: async () => 'unknown',
  };
}

describe.skipIf(!chromiumPath)(`the control room${chromiumNote}`, () => {
  it('shows the whole bot, asks before it stops anything, and fits a phone', async () => {
    const stage = await startStage({ token, controlRoom: smallRoom() });
    const { page, complaints } = await openPage(stage.url);
    await page.locator('#token').fill(token);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Control room' }).click();
    await page.locator('.day-chart').waitFor();
    // Names are text, whatever they are.
    await page.getByRole('heading', { name: hostile }).waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.getByRole('row', { name: /42/ }).count()).toBe(1);
    await page.getByText('1,204 members').waitFor();

    await page.locator('.fault summary').click();
    await page.getByText('req_1').first().waitFor();
    expect(await page.getByRole('link', { name: 'Open', exact: true }).getAttribute('href')).toBe(
      'https://discord.com/channels/1/2/3',
    );

    await page.getByRole('button', { name: `Switch off: ${hostile}` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.locator('.is-off').count()).toBe(0);
    await page.getByRole('button', { name: `Switch off: ${hostile}` }).click();
    await dialog.getByRole('button', { name: 'Switch off' }).click();
    await page.locator('.is-off').waitFor();
    await page.getByRole('status').getByText('Done.').waitFor();
    await page.getByRole('button', { name: `Daily ceiling for ${hostile}` }).click();
    await dialog.getByLabel('Credits a day').fill('84');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('42 of 84 today').waitFor();
    await page.locator('#cancel-job1').click();
    await dialog.getByRole('button', { name: 'Cancel', exact: true }).last().click();
    await page.getByText('Nothing is under way.').waitFor();

    await page.setViewportSize(phone.viewport!);
    expect(await overflow(page)).toBe(0);
    expect(complaints.filter((one) => !one.includes('401'))).toEqual([]);
  });
});
