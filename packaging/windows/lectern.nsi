; The installer for Windows: for one person, without administrator, over the version before.
; makensis -DVERSION=1.2.3 -DTREE=folder -DOUT=file [-DSIGN=program] lectern.nsi
Unicode true
Target amd64-unicode
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

Section "Lectern" Program
  SectionIn RO
  ; An engine that still runs holds its files.
  IfFileExists "$INSTDIR\lectern.exe" 0 +2
    nsExec::Exec '"$INSTDIR\lectern.exe" engine --stop'
  Pop $0
  RMDir /r "$INSTDIR\_internal"
  SetOutPath "$INSTDIR"
  File /r "${TREE}/*"
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
  WriteRegStr HKCU "${FOLDERS}" "" "Search with Lectern"
  WriteRegStr HKCU "${FOLDERS}" "Icon" "$INSTDIR\lectern-window.exe"
  WriteRegStr HKCU "${FOLDERS}\command" "" '"$INSTDIR\lectern-window.exe" gui "%1"'
SectionEnd

Section /o "Start Lectern in the tray at login" Login
  WriteRegStr HKCU "${RUN}" "lectern" '"$INSTDIR\lectern-window.exe" gui --tray'
SectionEnd

; It is fetched, so only if the person ticks it.
Section /o "Tesseract, which reads scanned pages (download)" Scans
  nsExec::ExecToLog 'winget install --exact --silent --accept-package-agreements \
    --accept-source-agreements --id UB-Mannheim.TesseractOCR'
  Pop $0
SectionEnd

; Libraries and settings stay with the person: %LOCALAPPDATA%\lectern.
Section "Uninstall"
  nsExec::Exec '"$INSTDIR\lectern.exe" engine --stop'
  Pop $0
  Delete "$SMPROGRAMS\Lectern.lnk"
  DeleteRegValue HKCU "${RUN}" "lectern"
  DeleteRegKey HKCU "${LINKS}"
  DeleteRegKey HKCU "${FOLDERS}"
  DeleteRegKey HKCU "${UNINSTALL}"
  DeleteRegKey HKCU "Software\Lectern"
  RMDir /r "$INSTDIR"
SectionEnd
