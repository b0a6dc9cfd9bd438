import { expect, it } from 'vitest';
import { decisionIn } from '../../src/words/decisions.ts';

it.each(['sure?', 'OK??', '确定？', '行？', 'draw it?', '~~yes~~', '👎 ok', '❌ yes', '“yes”'])(
  '“%s” decides nothing: it asks, or may mean the opposite',
  (text) => {
    expect(decisionIn(text)).toBeUndefined();
  },
);

it.each([
  ['Yes, please!', { kind: 'yes' }],
  ['好的。', { kind: 'yes' }],
  ['確定', { kind: 'yes' }],
  ['ok…', { kind: 'yes' }],
  ['don’t', { kind: 'no' }],
  ['Draw it!', { kind: 'order', command: 'imagine' }],
  ['畫出來', { kind: 'order', command: 'imagine' }],
  ['讀吧', { kind: 'order', command: 'speak' }],
])('“%s” decides', (text, decision) => {
  expect(decisionIn(text)).toEqual(decision);
});
