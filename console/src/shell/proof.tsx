import { lazy, Suspense } from 'react';
import { useProofRequest } from '../parts/proof.ts';

const ProofDialog = lazy(async () => ({
  default: (await import('../parts/proof-dialog.tsx')).ProofDialog,
}));

/** The dialog in which the user proves a recent sign-in or a second factor, while a call needs it. */
export function Proof() {
  const request = useProofRequest();
  if (!request) return undefined;
  return (
    <Suspense>
      <ProofDialog request={request} />
    </Suspense>
  );
}
