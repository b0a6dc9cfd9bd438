import type { Texts } from './scene.ts';

/** Who and where people are, in each language. */
export const people: Texts<{ ada: string; ben: string; owner: string; server: string; channel: string }> = {
  en: { ada: 'Ada', ben: 'Ben', owner: 'Olga', server: 'Film club', channel: 'film-club' },
  'zh-CN': { ada: '小雅', ben: '阿本', owner: '欧阳', server: '电影社', channel: '电影社' },
};
