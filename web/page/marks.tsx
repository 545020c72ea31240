import type { JSX } from 'preact';
import type { CardBrand } from '../../contract/payment-methods.ts';
import { brandNames } from './texts.ts';

/** The sign of PIX, in the color of the text beside it. */
export const PixMark = () => (
  <svg class="mark pix-mark" viewBox="0 0 24 24" aria-hidden="true">
    <path d="M5.283 18.36a3.505 3.505 0 0 0 2.493-1.032l3.6-3.6a.684.684 0 0 1 .946 0l3.613 3.613a3.504 3.504 0 0 0 2.493 1.032h.71l-4.56 4.56a3.647 3.647 0 0 1-5.156 0L4.85 18.36ZM18.428 5.627a3.505 3.505 0 0 0-2.493 1.032l-3.613 3.614a.67.67 0 0 1-.946 0l-3.6-3.6A3.505 3.505 0 0 0 5.283 5.64h-.434l4.573-4.572a3.646 3.646 0 0 1 5.156 0l4.559 4.559ZM1.068 9.422 3.79 6.699h1.492a2.483 2.483 0 0 1 1.744.722l3.6 3.6a1.73 1.73 0 0 0 2.443 0l3.614-3.613a2.482 2.482 0 0 1 1.744-.723h1.767l2.737 2.737a3.646 3.646 0 0 1 0 5.156l-2.736 2.736h-1.768a2.482 2.482 0 0 1-1.744-.722l-3.613-3.613a1.77 1.77 0 0 0-2.444 0l-3.6 3.6a2.483 2.483 0 0 1-1.744.722H3.791l-2.723-2.723a3.646 3.646 0 0 1 0-5.156" />
  </svg>
);

export const Lock = () => (
  <svg class="mark" viewBox="0 0 24 24" aria-hidden="true">
    <path d="M7 10V7a5 5 0 0 1 10 0v3h1.5a1.5 1.5 0 0 1 1.5 1.5v9a1.5 1.5 0 0 1-1.5 1.5h-13A1.5 1.5 0 0 1 4 20.5v-9A1.5 1.5 0 0 1 5.5 10zm2 0h6V7a3 3 0 0 0-6 0z" />
  </svg>
);

/** What stands on the plate of a brand. */
const plates: Readonly<Record<CardBrand, () => JSX.Element>> = {
  visa: () => (
    <path
      fill="#1434cb"
      transform="translate(5 -2.4) scale(1.2)"
      d="M9.112 8.262L5.97 15.758H3.92L2.374 9.775c-.094-.368-.175-.503-.461-.658C1.447 8.864.677 8.627 0 8.479l.046-.217h3.3a.904.904 0 01.894.764l.817 4.338 2.018-5.102zm8.033 5.049c.008-1.979-2.736-2.088-2.717-2.972.006-.269.262-.555.822-.628a3.66 3.66 0 011.913.336l.34-1.59a5.207 5.207 0 00-1.814-.333c-1.917 0-3.266 1.02-3.278 2.479-.012 1.079.963 1.68 1.698 2.04.756.367 1.01.603 1.006.931-.005.504-.602.725-1.16.734-.975.015-1.54-.263-1.992-.473l-.351 1.642c.453.208 1.289.39 2.156.398 2.037 0 3.37-1.006 3.377-2.564m5.061 2.447H24l-1.565-7.496h-1.656a.883.883 0 00-.826.55l-2.909 6.946h2.036l.405-1.12h2.488zm-2.163-2.656l1.02-2.815.588 2.815zm-8.16-4.84l-1.603 7.496H8.34l1.605-7.496z"
    />
  ),
  mastercard: () => (
    <>
      <circle cx="14.5" cy="12" r="7.2" fill="#eb001b" />
      <circle cx="23.5" cy="12" r="7.2" fill="#f79e1b" />
      <path fill="#ff5f00" d="M19 6.4a7.2 7.2 0 0 1 0 11.2 7.2 7.2 0 0 1 0-11.2" />
    </>
  ),
  amex: () => (
    <>
      <rect width="38" height="24" rx="3" fill="#1f72cd" />
      <path
        fill="#ffffff"
        d="M4 15.5 7.2 8.5h2.4l3.2 7h-2.3l-.5-1.3H6.8l-.5 1.3zm3.4-2.8h1.9l-.9-2.3zM13.3 15.5v-7h2.9l1.8 4 1.8-4h2.9v7h-1.9v-4.9l-2.1 4.9h-1.4l-2.1-4.9v4.9zM23.8 15.5v-7H29V10h-3.2v1.2h3.1v1.4h-3.1v1.3h2.1l2.2-2-2.5-3.4H30l1.4 2 1.5-2h2.4L32.6 12l2.7 3.5h-2.500l-1.5-2.1-1.8 2.100z"
      />
    </>
  ),
  elo: () => (
    <>
      <rect width="38" height="24" rx="3" fill="#000000" />
      <path fill="none" stroke="#ffcb05" stroke-width="1.8" d="M8.9 6.900a6 6 0 0 1 3.9-.2" />
      <path fill="none" stroke="#00a4e0" stroke-width="1.8" d="M16.1 9.400a6 6 0 0 1 .4 3.8" />
      <path fill="none" stroke="#ef4123" stroke-width="1.8" d="M14.9 16.200a6 6 0 0 1-3.3 2.2" />
      <path
        fill="none"
        stroke="#ffffff"
        stroke-width="1.9"
        d="m8.1 14.7 6-3.700a3 3 0 1 0-4.7 3.5 3 3 0 0 0 4.6-.700M19.5 6.500v7.500c0 .9.5 1.4 1.4 1.400h.6M30 12.600a3 3 0 1 1-6 0 3 3 0 0 1 6 0"
      />
    </>
  ),
  hipercard: () => (
    <>
      <rect width="38" height="24" rx="3" fill="#b3131b" />
      <path
        fill="none"
        stroke="#ffffff"
        stroke-width="1.9"
        d="M8 6.500v11M8 12.500c0-1.4 1-2.3 2.2-2.300s2 .8 2 2.300v5M16 10.200v7.300M16 6.700v1.200M19.8 10.200V20M25.6 13.800a2.9 2.9 0 1 1-5.8 0 2.9 2.9 0 0 1 5.8 0M30.5 15.900a2.6 2.6 0 0 1-2 1.6"
      />
    </>
  ),
};

/** The mark of a brand on a plate, told by its name to whoever does not see it. */
export function BrandMark({ brand }: { brand: CardBrand }) {
  const Plate = plates[brand];
  return (
    <svg class="plate" viewBox="0 0 38 24" role="img" aria-label={brandNames[brand]}>
      <rect class="plate-ground" x=".5" y=".5" width="37" height="23" rx="3" />
      <Plate />
    </svg>
  );
}

const BRANDS: readonly CardBrand[] = ['visa', 'mastercard', 'elo', 'amex', 'hipercard'];

/** The brands that are taken. */
export const BrandMarks = () => (
  <span class="plates" aria-hidden="true">
    {BRANDS.map((brand) => (
      <BrandMark key={brand} brand={brand} />
    ))}
  </span>
);
