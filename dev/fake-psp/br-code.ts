import crc16ccitt from 'crc/crc16ccitt';

const field = (id: string, value: string): string => id + String(value.length).padStart(2, '0') + value;

/** The "copia e cola" text of a dynamic charge, with its checksum. */
export function copyPasteText(charge: { location: string; amount: string; name: string; city: string }): string {
  const unsigned = [
    field('00', '01'),
    field('01', '12'),
    field('26', field('00', 'br.gov.bcb.pix') + field('25', charge.location)),
    field('52', '0000'),
    field('53', '986'),
    field('54', charge.amount),
    field('58', 'BR'),
    field('59', charge.name),
    field('60', charge.city),
    field('62', field('05', '***')),
    '6304', // the checksum covers its own tag and length
  ].join('');
  return unsigned + crc16ccitt(unsigned).toString(16).toUpperCase().padStart(4, '0');
}
