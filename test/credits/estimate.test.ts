import { describe, expect, it } from 'vitest';
import {
  chatCredits,
  chatCreditsEstimated,
  creditsOfImage,
  namedBy,
  type PricedVideo,
  speechCredits,
  speechSeconds,
  videoCredits,
} from '../../src/credits/index.ts';

const million = 1_000_000;
const none = { inputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0, outputTokens: 0 };

// Service description, section 8: credits per 1M tokens, read from its table by hand.
describe('a million tokens of chat', () => {
  it.each([
    ['svc-llm-1.5', 'inputTokens', 20, 280],
    ['svc-llm-1.5', 'cacheReadTokens', 2, 28],
    ['svc-llm-1.5', 'cacheCreationTokens', 25, 350],
    ['svc-llm-1.5', 'outputTokens', 120, 1260],
    ['svc-llm-1.5-pro', 'inputTokens', 140, 1000],
    ['svc-llm-1.5-pro', 'cacheReadTokens', 14, 100],
    ['svc-llm-1.5-pro', 'cacheCreationTokens', 175, 1250],
    ['svc-llm-1.5-pro', 'outputTokens', 840, 4500],
  ] as const)('with %s as %s cost %d to %d', (model, kind, low, high) => {
    expect(chatCredits(model, { ...none, [kind]: million })).toEqual({ low, high });
  });

  it('add up, kind by kind', () => {
    const usage = { inputTokens: 300, cacheReadTokens: 2_000, cacheCreationTokens: 100, outputTokens: 500 };
    expect(chatCredits('svc-llm-1.5', usage)).toEqual({
      low: (300 * 20 + 2_000 * 2 + 100 * 25 + 500 * 120) / million,
      high: (300 * 280 + 2_000 * 28 + 100 * 350 + 500 * 1260) / million,
    });
  });

  it('that are only estimated lie between the cheapest and the dearest way to charge the prompt', () => {
    const estimated = chatCreditsEstimated('svc-llm-1.5-pro', 5_000, 700);
    for (const split of [
      { inputTokens: 5_000 },
      { cacheReadTokens: 5_000 },
      { cacheCreationTokens: 5_000 },
      { inputTokens: 1_000, cacheReadTokens: 4_000 },
    ]) {
      const exact = chatCredits('svc-llm-1.5-pro', { ...none, ...split, outputTokens: 700 });
      expect(exact.low).toBeGreaterThanOrEqual(estimated.low);
      expect(exact.high).toBeLessThanOrEqual(estimated.high);
    }
  });
});

describe('the estimate of a speech', () => {
  // Seconds that the sandbox's voices take, by whose lengths it is checked that short texts cannot be long clips.
  it.each([
    ['smileys', '😀'.repeat(60), 7.5],
    ['signs', '$%&@#'.repeat(20), 21.3],
    ['single letters', 'W. '.repeat(40), 33.7],
    ['words without vowels', 'www.www.www '.repeat(10), 38.9],
    ['long abbreviations', 'MMXXVI '.repeat(10), 10.1],
    ['letters in a style of their own, called by their names', '𝕳𝖊𝖑𝖑𝖔 '.repeat(10), 57.2],
    ['letters as wide as ideographs', 'ＡＢＣ１２３ '.repeat(8), 26.9],
    ['paragraphs', 'a\n\n'.repeat(40), 33.5],
    ['Chinese sentences of one character', '好。'.repeat(40), 25.7],
    ['numbers', '100% '.repeat(20), 30],
    ['prose', 'The quick brown fox jumps over the lazy dog. '.repeat(5), 14.9],
  ])('is no less than what %s take', (_, text, seconds) => {
    expect(speechSeconds(text).high).toBeGreaterThanOrEqual(seconds);
  });

  it('is not much more for prose', () => {
    expect(speechSeconds('The quick brown fox jumps over the lazy dog. '.repeat(5)).high).toBeLessThan(30);
  });
});

describe('speech', () => {
  it.each([
    [0, 0.125],
    [0.2, 0.125],
    [1, 0.125],
    [1.0001, 0.25],
    [2, 0.25],
    [59.3, 7.5],
    [600, 75],
  ])('of %d s costs %d credits', (seconds, credits) => {
    expect(speechCredits(seconds)).toBe(credits);
  });

  it('is expected to last as long as people would need, by script, speed and language', () => {
    const english = speechSeconds('The quick brown fox jumps over the lazy dog, and then it rests.');
    const chinese = speechSeconds('敏捷的棕色狐狸跳过了那只懒狗，然后休息。');
    for (const { low, high } of [english, chinese]) {
      expect(low).toBeLessThan(5);
      expect(high).toBeGreaterThan(5);
    }
    const fast = speechSeconds('一二三四五六', { speed: 2 });
    const slow = speechSeconds('一二三四五六', { speed: 0.5 });
    expect(slow.high).toBeCloseTo(fast.high * 4);
    expect(speechSeconds('2026', { language: 'en' }).high).toBeGreaterThan(
      speechSeconds('2026', { language: 'zh-CN' }).high,
    );
    expect(speechSeconds('')).toEqual({ low: 0, high: 0 });
  });
});

describe('an image', () => {
  it('costs 22 credits', () => expect(creditsOfImage).toBe(22));
});

describe('a second of video', () => {
  it.each([
    ['balanced', '480p', 37],
    ['balanced', '720p', 80],
    ['balanced', '1080p', 248],
    ['quality', '480p', 46],
    ['quality', '720p', 100],
    ['quality', '1080p', 248],
  ] as const)('in %s at %s costs %d credits', (quality, resolution, credits) => {
    expect(videoCredits({ quality, resolution, duration: 10 })).toBe(credits * 10);
  });

  it.each([
    ['480p', 51],
    ['720p', 109],
    ['1080p', 271],
  ] as const)('at %s costs %d where a reference video is given, whichever quality', (resolution, credits) => {
    const reference_video_urls = ['https://example.com/a.mp4'];
    for (const more of [{ quality: 'balanced' }, { quality: 'quality' }, { operation: 'edit' }] as const) {
      expect(videoCredits({ resolution, duration: 4, reference_video_urls, ...more })).toBe(credits * 4);
    }
  });

  it('costs what the defaults cost where nothing is said', () => {
    expect(videoCredits({})).toBe(5 * 80);
  });
});

describe('the ledger names what the service does not', () => {
  it.each<[PricedVideo, string]>([
    [{}, 'video balanced 720p'],
    [{ quality: 'quality', resolution: '1080p' }, 'video quality 1080p'],
    [{ operation: 'edit' }, 'video reference 720p'],
  ])('%j as %s', (request, name) => expect(namedBy.video(request)).toBe(name));

  it('images by their size', () => {
    expect([namedBy.image(undefined), namedBy.image('4k')]).toEqual(['image 2k', 'image 4k']);
  });
});
