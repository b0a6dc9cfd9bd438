import { describe, expect, it } from 'vitest';
import { imageSize, videoSize } from '../../../src/sandbox/media/sizes.ts';
import { video } from '../../../src/service-rules/limits.ts';

describe('image sizes', () => {
  it.each([
    ['2k', 2048, 2048],
    ['3k', 3072, 3072],
    ['4k', 4096, 4096],
    ['1024x768', 1024, 768],
    ['4096x10', 4096, 10],
  ])('%s is %s x %s', (size, width, height) => {
    expect(imageSize(size)).toEqual({ width, height });
  });

  it.each(['', '5k', '2K', '0x100', '100x', '4097x100', '100x99999', '-1x5', '1e3x100', 'x'])(
    '%j is refused',
    (size) => {
      expect(() => imageSize(size)).toThrow(
        `size: '${size}' is not allowed; allowed are 2k, 3k, 4k or WIDTHxHEIGHT`,
      );
    },
  );
});

describe('video sizes', () => {
  it.each([
    ['720p', '16:9', 1280, 720],
    ['1080p', '16:9', 1920, 1080],
    ['480p', '16:9', 854, 480],
    ['720p', '9:16', 720, 1280],
    ['480p', '1:1', 480, 480],
    ['720p', '4:3', 960, 720],
    ['720p', '3:4', 720, 960],
    ['1080p', '21:9', 2520, 1080],
  ] as const)('%s at %s is %s x %s', (resolution, ratio, width, height) => {
    expect(videoSize(resolution, ratio)).toEqual({ width, height });
  });

  it('are even, with the number of the resolution as the shorter side', () => {
    for (const resolution of video.resolutions) {
      for (const ratio of video.ratios) {
        const { width, height } = videoSize(resolution, ratio);
        expect([width % 2, height % 2, Math.min(width, height)]).toEqual([
          0,
          0,
          Number.parseInt(resolution, 10),
        ]);
      }
    }
  });
});
