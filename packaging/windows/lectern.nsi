; The installer for Windows: for one person, without administrator, over the version before.
; makensis -DVERSION=1.2.3 -DTREE=folder -DOUT=file [-DSIGN=program] lectern.nsi
Unicode true
; Debian's NSIS can make an installer of 64 bits; that of its makers makes one of 32, which runs too.
!if /FileExists "${NSISDIR}\Stubs\lzma_solid-amd64-unicode"
  Target amd64-unicode
!endif
ManifestDPIAware true
SetCompressor /SOLID lzma
RequestExecutionLevel user
Name "Lectern"
OutFile "${OUT}"
InstallDir "$LOCALAPPDATA\Programs\Lectern"
InstallDirRegKey HKCU "Software\Lectern" "Folder"
!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\Lectern"
!define LINKS "Software\Classes\lectern"
!define FOLDERS "Software\Classes\Directory\shell\Lectern"
!define RUN "Software\Microsoft\Windows\CurrentVersion\Run"

!ifdef SIGN
  !finalize '${SIGN} "%1"'
  !uninstfinalize '${SIGN} "%1"'
!endif

!include MUI2.nsh
!include Sections.nsh
!insertmacro MUI_PAGE_COMPONENTS
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "German"

LangString LOGIN ${LANG_ENGLISH} "Start Lectern in the tray at login"
LangString LOGIN ${LANG_GERMAN} "Lectern beim Anmelden im Infobereich starten"
LangString SCANS ${LANG_ENGLISH} "Tesseract, for scanned pages in other scripts (download)"
LangString SCANS ${LANG_GERMAN} "Tesseract, für gescannte Seiten in anderen Schriften (wird heruntergeladen)"
LangString FOLDER ${LANG_ENGLISH} "Search with Lectern"
LangString FOLDER ${LANG_GERMAN} "Mit Lectern durchsuchen"
LangString OPEN ${LANG_ENGLISH} "Lectern is open. Quit it, in the tray too, and try again."
LangString OPEN ${LANG_GERMAN} "Lectern ist offen. Bitte beenden, auch im Infobereich, und wiederholen."

; Ends the engine and deletes the program, and nothing else of the folder, which the person chose.
; Windows does not let files be written that run; a window has to be closed by the person.
!macro REMOVE
  IfFileExists "$INSTDIR\lectern-window.exe" 0 removed
  again:
  ClearErrors
  FileOpen $0 "$INSTDIR\lectern-window.exe" a
  IfErrors 0 closed
  MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(OPEN)" /SD IDCANCEL IDRETRY again
  Abort
  closed:
  FileClose $0
  nsExec::Exec '"$INSTDIR\lectern.exe" engine --stop'
  Pop $0
  removed:
  RMDir /r "$INSTDIR\_internal"
  RMDir /r "$INSTDIR\LICENSES"
  Delete "$INSTDIR\lectern.exe"
  Delete "$INSTDIR\lectern-window.exe"
  Delete "$INSTDIR\lectern-*.cdx.json"
  Delete "$INSTDIR\LICENSE"
  Delete "$INSTDIR\NOTICE"
  Delete "$INSTDIR\README.md"
!macroend

Section "Lectern" Program
  SectionIn RO
  !insertmacro REMOVE
  SetOutPath "$INSTDIR"
  File /r "${TREE}\*"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortcut "$SMPROGRAMS\Lectern.lnk" "$INSTDIR\lectern-window.exe"
  WriteRegStr HKCU "Software\Lectern" "Folder" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "Lectern"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayIcon" "$INSTDIR\lectern-window.exe"
  WriteRegStr HKCU "${UNINSTALL}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegStr HKCU "${LINKS}" "" "URL:Lectern"
  WriteRegStr HKCU "${LINKS}" "URL Protocol" ""
  WriteRegStr HKCU "${LINKS}\shell\open\command" "" '"$INSTDIR\lectern-window.exe" gui "%1"'
  WriteRegStr HKCU "${FOLDERS}" "" "$(FOLDER)"
  WriteRegStr HKCU "${FOLDERS}" "Icon" "$INSTDIR\lectern-window.exe"
  WriteRegStr HKCU "${FOLDERS}\command" "" '"$INSTDIR\lectern-window.exe" gui "%1"'
SectionEnd

Section /o "$(LOGIN)" Login
  WriteRegStr HKCU "${RUN}" "lectern" '"$INSTDIR\lectern-window.exe" gui --tray'
SectionEnd

; It is fetched, so only if the person ticks it.
Section /o "$(SCANS)" Scans
  nsExec::ExecToLog 'winget install --exact --silent --accept-package-agreements \
    --accept-source-agreements --id UB-Mannheim.TesseractOCR'
  Pop $0
SectionEnd

; Libraries and settings stay with the person: %LOCALAPPDATA%\lectern.
Section "Uninstall"
  !insertmacro REMOVE
  Delete "$SMPROGRAMS\Lectern.lnk"
  DeleteRegValue HKCU "${RUN}" "lectern"
  DeleteRegKey HKCU "${LINKS}"
  DeleteRegKey HKCU "${FOLDERS}"
  DeleteRegKey HKCU "${UNINSTALL}"
  DeleteRegKey HKCU "Software\Lectern"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
SectionEnd
