import { Modal, type ModalProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from './texts.tsx';

type Props = Pick<ModalProps, 'size' | 'closeOnClickOutside'> & {
  title: string;
  onClose: () => void;
  children: ReactNode;
};

/** A dialog. Mount it while it is open. */
export function Dialog(props: Props) {
  const { t } = useTexts();
  return <Modal opened closeButtonProps={{ 'aria-label': t('form.close') }} {...props} />;
}
