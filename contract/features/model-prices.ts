/** Models that an operator offers, as one text: `large=2, small=0.1`. Prices are credits for 1,000 tokens. */

export const MAX_OFFERED_MODELS = 20;
export const MIN_MODEL_PRICE = 0.01;
export const MAX_MODEL_PRICE = 1_000;
const MAX_NAME = 200;

export interface PricedModel {
  name: string;
  price: number;
}

/** The models in a text. Undefined if it is not such a list. */
export function parseModels(text: string): PricedModel[] | undefined {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
  const models = entries.map((entry) => {
    const end = entry.lastIndexOf('=');
    return { name: entry.slice(0, Math.max(0, end)).trim(), price: Number(entry.slice(end + 1) || 'none') };
  });
  const isSound = models.every(({ name, price }) => name !== '' && name.length <= MAX_NAME && isPrice(price));
  const areDifferent = new Set(models.map(({ name }) => name)).size === models.length;
  return isSound && areDifferent && models.length <= MAX_OFFERED_MODELS ? models : undefined;
}

export const formatModels = (models: PricedModel[]): string =>
  models.map(({ name, price }) => `${name}=${price}`).join(', ');

const isPrice = (price: number) => price >= MIN_MODEL_PRICE && price <= MAX_MODEL_PRICE;
