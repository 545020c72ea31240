/** Who buys. */
export const maria = {
  name: 'Maria da Silva',
  identifier: '529.982.247-25',
  email: 'maria@example.com',
  phone: '(11) 98765-4321',
  external_code: 'buyer-77',
  address: {
    zip_code: '01310-100',
    street: 'Avenida Paulista',
    number: '1578',
    district: 'Bela Vista',
    city: 'São Paulo',
    state: 'SP',
  },
};

/** How she pays by card. */
export const card = (number: string) => ({
  payment_method_type: 'card' as const,
  card: { number, exp_month: 12, exp_year: 2030, cvc: '123' },
  billing_details: { name: 'MARIA DA SILVA', document: '52998224725' },
});

/** Cards of the sandbox (docs/product/sandbox.md#test-cards). */
export const APPROVED = '4242 4242 4242 4242';
export const DECLINED = '4000 0000 0000 9995';
export const RENEWALS_DECLINED = '4000 0000 0000 0341';
