import type { CreditRange } from '../../service-rules/prices.ts';

/** Somebody's turn costs more than they have said yes to, or than is spent without asking: nothing is sent. */
export class PriceRisenError extends Error {
  readonly price: CreditRange;

  constructor(price: CreditRange) {
    super('the price has risen since it was confirmed');
    this.price = price;
  }
}
