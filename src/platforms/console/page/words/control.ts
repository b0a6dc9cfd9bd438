import { controlEnglish, type ControlWords } from './control-en.ts';
import { controlChinese } from './control-zh.ts';
import { locale } from './index.ts';

/** The control room's texts in the page's language. */
export const say: ControlWords = locale === 'zh-CN' ? controlChinese : controlEnglish;
