/** Looks at once, and again whenever the element is scrolled or changes its size; answers how to stop. */
export function watchSeen(element: HTMLElement, look: () => void): () => void {
  const observer = new ResizeObserver(look);
  observer.observe(element);
  element.addEventListener('scroll', look, { passive: true });
  return () => {
    observer.disconnect();
    element.removeEventListener('scroll', look);
  };
}
