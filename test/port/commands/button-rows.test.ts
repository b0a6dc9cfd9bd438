import { expect, it } from 'vitest';
import { messageBody } from '../../../src/platforms/discord/api/messages.ts';
import { actions } from '../../../src/platforms/slack/markup/blocks.ts';
import { actionId, type Button, buttonRows, parseActionId } from '../../../src/port/index.ts';

const button = (label: string, row?: number): Button => ({
  id: `ask.again:${label}`,
  label,
  ...(row !== undefined && { row }),
});
const labels = (rows: readonly (readonly { readonly label: string }[])[]) =>
  rows.map((row) => row.map(({ label }) => label).join(''));

it('rows of buttons are in their order, none is empty, and one that is too long goes on in the next', () => {
  const buttons = [button('a'), button('x', 7), button('b'), button('m', 1), button('c', 0), button('y', 7)];
  expect(labels(buttonRows(buttons, 5))).toEqual(['abc', 'm', 'xy']);
  expect(labels(buttonRows(buttons, 2))).toEqual(['ab', 'c', 'm', 'xy']);
  expect(buttonRows([], 5)).toEqual([]);
});

it('Discord gets five buttons a row and five rows, Slack one block for each row', () => {
  const many = Array.from({ length: 30 }, (_, index) => button(String(index)));
  const rows = messageBody('', many).components;
  expect(rows.map(({ components }) => components.length)).toEqual([5, 5, 5, 5, 5]);
  const paged = [button('a'), button('b'), button('c', 1)];
  expect(messageBody('', paged).components.map(({ components }) => components.length)).toEqual([2, 1]);
  expect(actions(paged).map(({ elements }) => elements.length)).toEqual([2, 1]);
  expect(actions([])).toEqual([]);
});

it('a button’s id can say which of several it is about', () => {
  const id = actionId('imagine', 'use', 'A.b:C', 3);
  expect(parseActionId(id)).toEqual({ command: 'imagine', action: 'use', argument: 3, jobId: 'A.b:C' });
  expect(parseActionId(actionId('imagine', 'again', 'J.1'))).toEqual({
    command: 'imagine',
    action: 'again',
    jobId: 'J.1',
  });
  expect(parseActionId('imagine.use.12345678901234:J')).toBeUndefined();
});
