import crc16ccitt from 'crc/crc16ccitt';

const field = (id: string, value: string): string => id + String(value.length).padStart(2, '0') + value;

const PIX = field('00', 'br.gov.bcb.pix');

interface Receiver {
  readonly name: string;
  readonly city: string;
}

/** The "copia e cola" text of a dynamic charge, with its checksum. */
export const copyPasteText = ({ location, amount, ...receiver }: Receiver & { location: string; amount: string }) =>
  compositeText({ charge: { location, amount }, recurrence: null, ...receiver });

/** The same of a recurrence, with the charge that is paid in the act of authorising, if there is one. */
export function compositeText({
  charge,
  recurrence,
  name,
  city,
}: Receiver & { charge: { location: string; amount: string } | null; recurrence: string | null }): string {
  const unsigned = [
    field('00', '01'),
    field('01', '12'),
    field('26', PIX + (charge === null ? '' : field('25', charge.location))),
    field('52', '0000'),
    field('53', '986'),
    charge === null ? '' : field('54', charge.amount),
    field('58', 'BR'),
    field('59', name),
    field('60', city),
    field('62', field('05', '***')),
    recurrence === null ? '' : field('80', PIX + field('25', recurrence)),
    '6304', // the checksum covers its own tag and length
  ].join('');
  return unsigned + crc16ccitt(unsigned).toString(16).toUpperCase().padStart(4, '0');
}
