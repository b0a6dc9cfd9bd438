import { createCanvas, GlobalFonts } from '@napi-rs/canvas';

/** Fonts in order of preference, those with many scripts first. */
const preferred = [
  'Noto Sans CJK SC',
  'Noto Sans SC',
  'Source Han Sans SC',
  'PingFang SC',
  'Microsoft YaHei',
  'Noto Sans CJK JP',
  'WenQuanYi Micro Hei',
  'WenQuanYi Zen Hei',
  'Droid Sans Fallback',
  'Noto Sans',
  'Liberation Sans',
  'DejaVu Sans',
  'Helvetica Neue',
  'Arial',
];

/** The font for charts; missing characters are drawn with any other installed font. */
export function chartFont(): string {
  const installed = new Set(GlobalFonts.families.map(({ family }) => family));
  const family = preferred.find((name) => installed.has(name)) ?? GlobalFonts.families[0]?.family;
  return family === undefined ? 'sans-serif' : `"${family}", sans-serif`;
}

const size = 24;
/** A character that no font has: all missing characters are drawn like it. */
const missing = '\u{10FFFD}';
const invisible = /[\p{White_Space}\p{Mark}\p{Cf}]/u;

/** Checks which texts can be drawn on this machine without a missing-glyph box. */
export function glyphCheck(font: string): (text: string) => boolean {
  const context = createCanvas(size, size).getContext('2d');
  const picture = (character: string) => {
    context.clearRect(0, 0, size, size);
    context.font = `${size * 0.6}px ${font}`;
    context.fillText(character, 2, size * 0.75);
    return Buffer.from(context.getImageData(0, 0, size, size).data).toString('base64');
  };
  const empty = [picture(' '), picture(missing)];
  const known = new Map<string, boolean>();
  const has = (character: string) => {
    const answer = known.get(character) ?? (invisible.test(character) || !empty.includes(picture(character)));
    known.set(character, answer);
    return answer;
  };
  return (text) => [...text].every(has);
}
