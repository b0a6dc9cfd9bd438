import type { CreditRange } from '../../service-rules/prices.ts';

/** A turn costs more than twice what its person has said yes to, or than is spent without asking: nothing is sent. */
export class PriceRisenError extends Error {
  readonly price: CreditRange;

  constructor(price: CreditRange) {
    super('the price has risen since it was confirmed');
    this.price = price;
  }
}
