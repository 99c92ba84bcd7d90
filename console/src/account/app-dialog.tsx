import type { ResponseOf } from '@bailiwick/client/client.ts';
import type { ErrorReason } from '@bailiwick/client/errors.ts';
import { Stack, Text, TextInput } from '@mantine/core';
import { generate } from 'lean-qr';
import { useState } from 'react';
import { CallForm } from '../parts/call-form.tsx';
import { CodeBlock } from '../parts/code-block.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { useNotify } from '../parts/notify.ts';
import { useTexts } from '../parts/texts.tsx';

type Enrollment = ResponseOf<'Factors_BeginTotp'>;
type Props = { onAdded: () => void; onClose: () => void };

/** Adds an authenticator app: its name, its key, and a first code that proves that it works. */
export function AppDialog({ onAdded, onClose }: Props) {
  const { t } = useTexts();
  const [enrollment, setEnrollment] = useState<Enrollment>();
  return (
    <Dialog onClose={onClose} title={t('security.appAdd')} closeOnClickOutside={false}>
      {enrollment ? (
        <Scan enrollment={enrollment} onAdded={onAdded} onClose={onClose} />
      ) : (
        <CallForm
          operation="Factors_BeginTotp"
          initial={{ name: '' }}
          check={({ name }) => ({ name: name.trim() === '' ? t('security.nameMissing') : null })}
          toRequest={({ name }) => ({ Name: name.trim() })}
          stale={[]}
          onDone={setEnrollment}
          onCancel={onClose}
          submit={t('security.next')}
        >
          {(form) => (
            <TextInput
              {...form.getInputProps('name')}
              label={t('security.appName')}
              description={t('security.appNameAbout')}
              maxLength={128}
              autoComplete="off"
              data-autofocus
            />
          )}
        </CallForm>
      )}
    </Dialog>
  );
}

function Scan({
  enrollment: { FactorID, Secret, URI },
  onAdded,
  onClose,
}: Props & { enrollment: Enrollment }) {
  const { t } = useTexts();
  const notify = useNotify();
  return (
    <CallForm
      operation="Factors_ConfirmTotp"
      initial={{ code: '' }}
      check={({ code }) => ({ code: /^\d{6}$/.test(digits(code)) ? null : t('security.digits') })}
      toRequest={({ code }) => ({ FactorID, Code: digits(code) })}
      refused={({ Reason }) =>
        Reason === ('WRONG_CODE' satisfies ErrorReason) ? { code: t('security.wrongCode') } : {}
      }
      stale={['Factors_List', 'Account_Get', 'Sessions_List']}
      onDone={() => {
        onClose();
        notify(t('security.appAdded'));
        onAdded();
      }}
      onCancel={onClose}
      submit={t('security.confirm')}
    >
      {(form) => (
        <Stack>
          <Text size="sm">{t('security.scan')}</Text>
          <QrCode text={URI} />
          <Text size="sm">{t('security.key')}</Text>
          <CodeBlock code={Secret.replace(/(.{4})(?=.)/g, '$1 ')} name={t('security.key')} />
          <TextInput
            {...form.getInputProps('code')}
            label={t('security.shownCode')}
            inputMode="numeric"
            autoComplete="one-time-code"
            data-autofocus
          />
        </Stack>
      )}
    </CallForm>
  );
}

/** Apps show the digits in two groups. */
const digits = (code: string) => code.replace(/\s/g, '');

/** The quiet zone around a QR code, in modules. */
const margin = 4;

/** A QR code, made in this browser: the secret in it must not go elsewhere. */
function QrCode({ text }: { text: string }) {
  const { t } = useTexts();
  const qr = generate(text);
  const size = qr.size + 2 * margin;
  let dark = '';
  for (let y = 0; y < qr.size; y++)
    for (let x = 0; x < qr.size; x++)
      if (qr.get(x, y)) dark += `M${x + margin} ${y + margin}h1v1h-1z`;
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      width={208}
      role="img"
      aria-label={t('security.qr')}
      shapeRendering="crispEdges"
      style={{ alignSelf: 'center', maxWidth: '100%' }}
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={dark} fill="#000" />
    </svg>
  );
}
