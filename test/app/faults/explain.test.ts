import { expect, it } from 'vitest';
import { renderFaults } from '../../../src/app/faults/explain.ts';
import { PlatformError, type PlatformErrorKind } from '../../../src/port/index.ts';
import type { Render } from '../../../src/renders/index.ts';
import { explainPlatformError, words } from '../../../src/words/index.ts';

it.each<[PlatformErrorKind, string | undefined, string, string]>([
  [
    'no-permission',
    'files:read',
    'I need this permission here: files:read.',
    '我在这里缺少权限：files:read。',
  ],
  ['no-permission', 'restricted_action', 'I’m not allowed to do this.', '我没有权限做这件事。'],
  ['no-permission', undefined, 'I’m not allowed to do this.', '我没有权限做这件事。'],
  [
    'too-large',
    '10 MB',
    'The file is too large to post here (at most 10 MB).',
    '文件太大，无法发到这里（最多 10 MB）。',
  ],
  [
    'too-large',
    'file_upload_size_restricted',
    'The file is too large to post here.',
    '文件太大，无法发到这里。',
  ],
  ['refused', 'a bad word', 'This was blocked here: a bad word.', '内容在这里被拦截了：a bad word。'],
  ['refused', 'invalid_blocks', 'This was blocked here.', '内容在这里被拦截了。'],
])('a platform’s refusal (%s: %s) is told in words, never by its code', (kind, detail, english, chinese) => {
  const error = new PlatformError(kind, detail);
  expect(explainPlatformError(error, words('en'))).toMatch(new RegExp(`^${RegExp.escape(english)}`));
  expect(explainPlatformError(error, words('zh-CN'))).toMatch(new RegExp(`^${RegExp.escape(chinese)}`));
});

it.each<[NonNullable<Render['fault']>, string, string]>([
  [{ code: 'refused', reason: 'too rude' }, 'nothing was spent: too rude', '没有扣除积分：too rude'],
  [{ code: 'failed', reason: 'too rude' }, 'nothing was spent: too rude', '没有扣除积分：too rude'],
  [{ code: 'not-sent', error: 'rate-limit' }, 'Nothing was spent.', '没有扣除积分。'],
  [{ code: 'not-sent', error: 'credit' }, 'Nothing was spent.', '没有扣除积分。'],
  [{ code: 'deadline', minutes: 60 }, 'may have charged', '可能已扣除积分。'],
  [{ code: 'task-gone' }, 'may have charged', '可能已扣除积分。'],
  [{ code: 'result-gone' }, 'Credits were spent.', '积分已扣除。'],
])(
  'people are told what’s on the ledger of a render that ended without a result: %j',
  (fault, english, chinese) => {
    const render = { kind: 'video', state: 'failed', fault } as Render;
    expect(renderFaults([render], words('en'))).toContain(english);
    expect(renderFaults([render], words('zh-CN'))).toContain(chinese);
  },
);
