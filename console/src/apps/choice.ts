import { type Kind, kinds } from './kinds.ts';
import { type ProductName, productNames } from './products.ts';

/** The choice in the address of a new app: a product, or a kind of app. */
export type Choice = { product?: ProductName; kind?: Kind };

export function readChoice({ product, kind }: Record<string, unknown>): Choice {
  const knownProduct = productNames.find((name) => name === product);
  const knownKind = kinds.find((name) => name === kind);
  if (knownProduct) return { product: knownProduct };
  return knownKind ? { kind: knownKind } : {};
}
