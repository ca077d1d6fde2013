(() => {
  // focused returns the element that has the focus, and its document, which may be in a frame of
  // the same origin.
  const focused = () => {
    let document = globalThis.document;
    for (;;) {
      let element = document.activeElement;
      while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
      let inner = null;
      try {
        inner = element?.contentDocument;
      } catch {}
      if (!inner) return { document, element: element ?? document.body };
      document = inner;
    }
  };
  const isField = (element) => element?.matches?.("textarea, input:not([type=checkbox], [type=radio], [type=button], [type=submit], [type=reset], [type=image], [type=file], [type=range], [type=color])");
  // selected returns the selected text. A selection in a password field is not copied.
  const selected = ({ document, element }) => {
    if (!isField(element)) return String(document.getSelection() ?? "");
    if (element.type === "password" || element.selectionStart === null) return "";
    return element.value.slice(element.selectionStart, element.selectionEnd);
  };
  const send = (at, type, data) => {
    const view = at.document.defaultView;
    const event = new view.ClipboardEvent(type, { bubbles: true, cancelable: true, composed: true, clipboardData: data });
    return !at.element.dispatchEvent(event);
  };
  return {
    // copy returns the text, or null if nothing is selected.
    copy() {
      const at = focused();
      const data = new at.document.defaultView.DataTransfer();
      const text = send(at, "copy", data) ? data.getData("text/plain") : selected(at);
      return text || null;
    },
    // paste returns "handled", "insert", or "none" if no element takes the text.
    paste(text) {
      const at = focused();
      const data = new at.document.defaultView.DataTransfer();
      data.setData("text/plain", text);
      if (send(at, "paste", data)) return "handled";
      const now = focused().element; // the page may have moved the focus
      const takes = isField(now) ? !now.readOnly && !now.disabled : now.isContentEditable;
      return takes || now.ownerDocument.designMode === "on" ? "insert" : "none";
    },
  };
})()
