#include "textflag.h"

// func adam8(values, gradients, means, squares unsafe.Pointer, n int, constants *adamConstants)
//
// The steps are those of adamPortably. While it runs, numbers too small to be normal are 0, as operands and as results:
// processors take a hundred times as long for them, and means of gradients that have become 0 end there.
TEXT ·adam8(SB), NOSPLIT, $8-48
	STMXCSR      (SP)
	MOVL         (SP), AX
	ORL          $0x8040, AX
	MOVL         AX, 4(SP)
	LDMXCSR      4(SP)
	MOVQ         values+0(FP), DI
	MOVQ         gradients+8(FP), SI
	MOVQ         means+16(FP), DX
	MOVQ         squares+24(FP), BX
	MOVQ         n+32(FP), CX
	MOVQ         constants+40(FP), AX
	VBROADCASTSS 0(AX), Y8
	VBROADCASTSS 4(AX), Y9
	VBROADCASTSS 8(AX), Y10
	VBROADCASTSS 12(AX), Y11
	VBROADCASTSS 16(AX), Y12
	VBROADCASTSS 20(AX), Y13
	VBROADCASTSS 24(AX), Y14
	VXORPS       Y7, Y7, Y7
	XORQ         AX, AX

loop:
	VMOVUPS (SI)(AX*1), Y0
	VMOVUPS Y7, (SI)(AX*1)
	VMULPS  (DX)(AX*1), Y8, Y1  // m = β₁·m + (1 − β₁)·g
	VMULPS  Y0, Y9, Y2
	VADDPS  Y2, Y1, Y1
	VMOVUPS Y1, (DX)(AX*1)
	VMULPS  (BX)(AX*1), Y10, Y3 // s = β₂·s + (1 − β₂)·g·g
	VMULPS  Y0, Y11, Y4
	VMULPS  Y0, Y4, Y4
	VADDPS  Y4, Y3, Y3
	VMOVUPS Y3, (BX)(AX*1)
	VSQRTPS Y3, Y3
	VMULPS  Y3, Y12, Y3
	VADDPS  Y3, Y13, Y3
	VMULPS  Y1, Y14, Y1
	VDIVPS  Y3, Y1, Y1
	VMOVUPS (DI)(AX*1), Y2
	VSUBPS  Y1, Y2, Y2
	VMOVUPS Y2, (DI)(AX*1)
	ADDQ    $32, AX
	SUBQ    $8, CX
	JNZ     loop
	LDMXCSR (SP)
	VZEROUPPER
	RET
