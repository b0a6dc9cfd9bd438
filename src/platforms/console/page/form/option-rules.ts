import type { WireOption } from '../../api/wire.ts';
import { formatNumber } from '../elements/format.ts';
import { strings } from '../words/index.ts';

/** An option's allowed values, in words; empty if anything is allowed. */
export function rulesText(option: WireOption): string {
  const { min = 0, max = 0 } = option;
  switch (option.type) {
    case 'choice':
      return (option.choices ?? []).join(', ');
    case 'boolean':
      return 'true, false';
    case 'integer':
      return `${strings.wholeNumber}, ${strings.range(min, max)}`;
    case 'number':
      return strings.range(min, max);
    case 'addresses':
      return strings.addresses(max);
    case 'file':
      return `${option.media}/*`;
    case 'text':
      if (option.allowed !== undefined) return option.allowed;
      if (option.maxBytes !== undefined) return strings.atMostBytes(formatNumber(option.maxBytes));
      return option.maxCharacters === undefined
        ? ''
        : strings.atMostCharacters(formatNumber(option.maxCharacters));
  }
}

/** Whether a value breaks a rule the page can check; the server checks all rules. */
export function breaksRule(option: WireOption, value: string): boolean {
  switch (option.type) {
    case 'choice':
      return !option.choices?.some((choice) => choice.toLowerCase() === value.trim().toLowerCase());
    case 'integer':
      return !/^[+-]?\d+$/.test(value.trim()) || isOutside(option, Number(value));
    case 'number':
      return value.trim() === '' || !(Number.isFinite(Number(value)) && !isOutside(option, Number(value)));
    case 'addresses':
      return value.split(/[\s,，]+/u).some((address) => address !== '' && !/^https:\/\/./i.test(address));
    default:
      return false;
  }
}

function isOutside({ min = -Infinity, max = Infinity }: WireOption, value: number): boolean {
  return value < min || value > max;
}
