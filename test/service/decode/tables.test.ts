import { describe, expect, test } from 'vitest';
import { decodeUsage } from '../../../src/service/chat-decoder.ts';
import { shapeOf } from '../../../src/service/decode/answer.ts';
import { mediaType } from '../../../src/service/decode/media.ts';
import { decodeProgress, taskState } from '../../../src/service/decode/task.ts';
import { retryAfter } from '../../../src/service/http/transport.ts';
import { decodeVoices } from '../../../src/service/operations/voices.ts';

describe('states of tasks', () => {
  test.each([
    [
      'waiting',
      'queued PENDING Waiting submitted created not_started NOT-STARTED in_queue accepted scheduled 排队中',
    ],
    [
      'running',
      'running PROCESSING in_progress In-Progress generating rendering working active TASK_STATUS_RUNNING 生成中',
    ],
    [
      'ready',
      'ready succeeded SUCCESS completed Complete done finished TASK_STATE_SUCCEEDED JOB_STATE_SUCCEEDED 成功',
    ],
    [
      'failed',
      'failed FAILURE error cancelled canceled expired timed_out rejected TIMEOUT aborted blocked 失败',
    ],
  ])('%s has many names', (state, words) => {
    for (const word of words.split(' ')) expect([word, taskState(word)]).toEqual([word, state]);
  });

  test('may have spaces', () => {
    expect(taskState('In Progress')).toBe('running');
  });

  test.each(['', 'weird', 'constructor', '__proto__', '200'])('%j is unknown', (word) => {
    expect(taskState(word)).toBeUndefined();
  });
});

describe('progress', () => {
  test.each([
    [{ progress: 0 }, 0],
    [{ progress: 0.45 }, 0.45],
    [{ progress: 1 }, 1],
    [{ progress: 45 }, 0.45],
    [{ progress: 100 }, 1],
    [{ progress: '45%' }, 0.45],
    [{ progress: ' 45.5 % ' }, 0.455],
    [{ progress: '0.5%' }, 0.005],
    [{ progress: '0.45' }, 0.45],
    [{ progress: '45' }, 0.45],
    [{ Progress: 45 }, 0.45],
    [{ percent: 1 }, 0.01],
    [{ progress_percent: '1' }, 0.01],
    [{ percentage: 45 }, 0.45],
    [{ progress: { percent: 45 } }, 0.45],
    [{ progress: { value: 0.3 } }, 0.3],
    [{ progress: 250 }, 1],
    [{ progress: -3 }, 0],
    [{ progress: 'soon' }, undefined],
    [{ progress: null }, undefined],
    [{ progress: { progress: { progress: 1 } } }, undefined],
    [{ progress: [1] }, undefined],
    [{}, undefined],
    [null, undefined],
  ])('in %j is %j', (task, fraction) => {
    expect(decodeProgress(task)).toBe(fraction);
  });
});

describe('usage', () => {
  const none = { cacheReadTokens: 0, cacheCreationTokens: 0 };
  test.each([
    [
      { prompt_tokens: 10, completion_tokens: 5 },
      { inputTokens: 10, outputTokens: 5, ...none },
    ],
    [
      {
        prompt_tokens: 10,
        completion_tokens: 5,
        prompt_tokens_details: { cached_tokens: 4, cache_creation_tokens: 1 },
      },
      { inputTokens: 5, outputTokens: 5, cacheReadTokens: 4, cacheCreationTokens: 1 },
    ],
    [
      { prompt_tokens: 10, completion_tokens: 5, prompt_cache_hit_tokens: 6 },
      { inputTokens: 4, outputTokens: 5, cacheReadTokens: 6, cacheCreationTokens: 0 },
    ],
    [
      { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 100, cache_creation_input_tokens: 7 },
      { inputTokens: 10, outputTokens: 5, cacheReadTokens: 100, cacheCreationTokens: 7 },
    ],
    [
      { input_tokens: 10, output_tokens: 5, input_tokens_details: { cached_tokens: 4 } },
      { inputTokens: 6, outputTokens: 5, cacheReadTokens: 4, cacheCreationTokens: 0 },
    ],
    [{ completion_tokens: 5 }, { inputTokens: 0, outputTokens: 5, ...none }],
    // As Gemini and Grok have it: what's thought is counted in the total alone.
    [
      { prompt_tokens: 20, completion_tokens: 424, total_tokens: 1_016 },
      { inputTokens: 20, outputTokens: 996, ...none },
    ],
    [
      { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 100, total_tokens: 15 },
      { inputTokens: 10, outputTokens: 5, cacheReadTokens: 100, cacheCreationTokens: 0 },
    ],
    // More is cached than the prompt has: it's counted apart.
    [
      { prompt_tokens: 1, prompt_tokens_details: { cached_tokens: 9 } },
      { inputTokens: 1, outputTokens: 0, cacheReadTokens: 9, cacheCreationTokens: 0 },
    ],
    [
      { prompt_tokens: '10', completion_tokens: '5', prompt_tokens_details: { cached_tokens: '4' } },
      { inputTokens: 6, outputTokens: 5, cacheReadTokens: 4, cacheCreationTokens: 0 },
    ],
    [{ prompt_tokens: -1, completion_tokens: '5.5' }, undefined],
    [{ prompt_tokens: '', completion_tokens: '0x5' }, undefined],
    [{ prompt_tokens: '9007199254740993' }, undefined],
    // More than any model reads or writes: believed, one answer would use up everybody's budgets.
    [{ prompt_tokens: 10, completion_tokens: 1e9 }, undefined],
    [{ prompt_tokens: 2 ** 53 - 1, completion_tokens: 5 }, undefined],
    [{}, undefined],
    [null, undefined],
    ['10', undefined],
  ])('in %j, unless it’s impossible', (value, usage) => {
    expect(decodeUsage(value)).toEqual(usage);
  });
});

describe('voices', () => {
  const tim = { id: 'en_male_tim_uranus_bigtts', languages: ['en'] };
  const strange = { id: 'x', name: 'Ex', languages: ['fr-CA'] };
  test.each([
    ['an array of ids', [tim.id], [tim]],
    ['data', { object: 'list', data: [{ id: tim.id }] }, [tim]],
    ['voices', { voices: [{ voice_id: 'x', display_name: 'Ex', language: 'fr_CA' }] }, [strange]],
    [
      'data with voices',
      { code: 0, data: { voices: [{ VoiceId: 'x', Title: 'Ex', Languages: ['fr-CA'] }] } },
      [strange],
    ],
    [
      'lists by language',
      { voices: { English: [tim.id], French: [{ id: 'x', name: 'Ex', locale: 'fr-CA' }] } },
      [tim, strange],
    ],
    ['records by id', { voices: { x: { name: 'Ex', lang: 'fr-CA' } } }, [strange]],
    [
      'languages in words',
      [{ id: 'y', languages: 'Chinese and English' }],
      [{ id: 'y', languages: ['zh-CN', 'en'] }],
    ],
    [
      'languages as records',
      [{ id: 'y', languages: [{ code: 'zh' }, { name: 'English' }] }],
      [{ id: 'y', languages: ['zh-CN', 'en'] }],
    ],
    ['a gender in English', [{ id: 'y', gender: 'Female' }], [{ id: 'y', languages: [], gender: 'female' }]],
    ['a gender in Chinese', [{ id: 'y', gender: '女' }], [{ id: 'y', languages: [], gender: 'female' }]],
    ['a gender in another field', [{ id: 'y', sex: 'M' }], [{ id: 'y', languages: [], gender: 'male' }]],
    ['no gender that is known', [{ id: 'y', gender: 'neutral' }], [{ id: 'y', languages: [] }]],
    ['names alone', [{ name: 'y' }], [{ id: 'y', languages: [] }]],
    [
      'records with numbers of their own',
      { data: [{ id: 1, voice_id: 'x', name: 'Ex', lang: 'fr-CA' }] },
      [strange],
    ],
    ['records numbered in digits', [{ id: '17', voice: 'x', name: 'Ex', lang: 'fr-CA' }], [strange]],
    ['records with ids of their own', [{ id: 'rec_1', voice_id: 'x', name: 'Ex', lang: 'fr-CA' }], [strange]],
    ['records named by voices of the description', [{ id: 1, name: tim.id }], [tim]],
    ['numbers with names for people', [{ id: 17, name: 'Ex' }], [{ id: '17', name: 'Ex', languages: [] }]],
    ['one voice twice', [tim.id, { id: tim.id, name: 'Tim' }], [tim]],
    ['entries that are none', [null, 7, {}, '', [], { id: 'x'.repeat(257) }, tim.id], [tim]],
    [
      'a list of voices in data',
      { data: { voice_list: [{ voice: 'y' }], total: 1 } },
      [{ id: 'y', languages: [] }],
    ],
    ['an empty list', { data: [] }, []],
  ])('as %s', (_, value, voices) => {
    expect(decodeVoices(value)).toEqual(voices);
  });

  test.each([null, 7, 'text', {}, { data: 7 }, { error: { message: 'no' } }])('%j is no list', (value) => {
    expect(decodeVoices(value)).toBeUndefined();
  });

  test('have no id that would end the code in which people are shown it', () => {
    const list = ['a`b', 'a\nb', { id: 'a\u2028b', name: 'Ex' }, tim.id, 'a b'];
    expect(decodeVoices(list)?.map(({ id }) => id)).toEqual([tim.id, 'a b']);
  });

  test('are at most a thousand', () => {
    expect(decodeVoices(Array.from({ length: 5_000 }, (_, index) => `v${index}`))).toHaveLength(1_000);
  });
});

describe('media told by its bytes', () => {
  const ogg = (codec: string) => `OggS${'\0'.repeat(22)}\x01\x13${codec}`;
  test.each([
    ['\x89PNG\r\n\x1a\n', 'image/png'],
    ['\xff\xd8\xff\xe0', 'image/jpeg'],
    ['GIF89a', 'image/gif'],
    ['RIFF\0\0\0\0WEBP', 'image/webp'],
    ['\0\0\0\x20ftypavif', 'image/avif'],
    ['\0\0\0\x20ftypavis', 'image/avif'],
    ['\0\0\0\x20ftypheic', 'image/heic'],
    ['\0\0\0\x20ftypmif1', 'image/heic'],
    ['\0\0\0\x20ftypisom', 'video/mp4'],
    ['\0\0\0\x14ftypqt  ', 'video/quicktime'],
    ['\0\0\0\x14ftypM4A ', 'audio/mp4'],
    ['\x1a\x45\xdf\xa3', 'video/webm'],
    ['RIFF\0\0\0\0WAVEfmt ', 'audio/wav'],
    ['ID3\x04', 'audio/mpeg'],
    ['\xff\xfb\x90\x00', 'audio/mpeg'],
    ['\xff\xf3\x40\x00', 'audio/mpeg'],
    ['\xff\xf1\x50\x80', 'audio/aac'],
    ['fLaC', 'audio/flac'],
    [ogg('OpusHead'), 'audio/ogg; codecs=opus'],
    [ogg('\x01vorbis'), 'audio/ogg; codecs=vorbis'],
    [ogg('Speex   '), 'audio/ogg'],
    ['', undefined],
    ['{"error"', undefined],
    ['<html>', undefined],
    ['RIFF', undefined],
    ['\xff', undefined],
  ])('%j is %s', (bytes, type) => {
    expect(mediaType(Buffer.from(bytes, 'latin1'))).toBe(type);
  });
});

describe('the pause an answer asks for', () => {
  const now = Date.UTC(2026, 0, 1, 12);
  test.each([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': ' 0 ' }, 0],
    [{ 'retry-after': '1.5' }, 1_500],
    [{ 'retry-after-ms': '250' }, 250],
    [{ 'retry-after-ms': '250', 'retry-after': '7' }, 250],
    [{ 'retry-after-ms': 'x', 'retry-after': '7' }, 7_000],
    [{ 'retry-after': 'Thu, 01 Jan 2026 12:00:09 GMT' }, 9_000],
    [{ 'retry-after': 'Thu, 01 Jan 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after': 'Fri, 01 Jan 2027 12:00:00 GMT' }, 60_000],
    [{ 'retry-after': '86400' }, 60_000],
    [{ 'retry-after': '999999999999999' }, 60_000],
    [{ 'retry-after': '-5' }, undefined],
    [{ 'retry-after': 'soon 1' }, undefined],
    [{ 'retry-after': 'NaN' }, undefined],
    [{ 'retry-after': '1e9' }, undefined],
    [{ 'retry-after': '' }, undefined],
    [{}, undefined],
  ])('%j is %s ms', (headers: Record<string, string>, milliseconds) => {
    expect(retryAfter((name) => headers[name], now)).toBe(milliseconds);
  });
});

describe('the shape of an answer', () => {
  test('has names and types, never values', () => {
    const value = {
      id: 'secret',
      list: [{ a: 1 }, { a: 2 }],
      'a secret name': true,
      none: null,
      deep: { a: { b: { c: 1 } } },
    };
    expect(shapeOf(value)).toBe('{id:string,list:[{a:number}×2],…:boolean,none:null,deep:{a:{b:{…}}}}');
  });

  test('stays short', () => {
    const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`n${index}`, 1]));
    expect(shapeOf(wide).length).toBeLessThan(300);
  });
});
